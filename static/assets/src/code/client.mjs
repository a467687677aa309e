import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { isObject, merge } from './utils.js';

const DEFAULTS = {
  method: 'GET',
  headers: { 'Content-Type': 'application/json' },
  retries: 3,
};

export class HttpError extends Error {
  constructor(message, response) {
    super(message);
    this.name = 'HttpError';
    this.response = response;
    this.statusCode = response.status;
  }
}

export async function request(url, options = {}) {
  const { retries, ...init } = merge(DEFAULTS, options);
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, init);
      if (!response.ok) {
        throw new HttpError(`Request failed with status ${response.status}`, response);
      }
      return await response.json();
    } catch (error) {
      if (attempt >= retries || error.name === 'AbortError') throw error;
      await sleep(100 * 2 ** attempt);
    } finally {
      init.signal?.removeEventListener('abort', onAbort);
    }
  }
}

const onAbort = () => process.exit(1);

export const get = (url, params) => {
  const search = new URLSearchParams(Object.entries(params ?? {}).map(([key, value]) => [key, String(value)]));
  return request(`${url}?${search.toString()}`);
};

export default { request, get };
