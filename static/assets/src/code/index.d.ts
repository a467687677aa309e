/// <reference types="node" />

import { EventEmitter } from 'events';
import * as http from 'http';
import type { IncomingMessage, ServerResponse } from 'http';

declare module 'http' {
  interface IncomingMessage {
    id?: string;
  }
}

export type Level = 'low' | 'normal' | 'high';
export type Callback<T = any> = (err: Error | null, result?: T) => void;
export type DeepPartial<T> = { [K in keyof T]?: T[K] extends object ? DeepPartial<T[K]> : T[K] };

export interface QueueOptions extends http.AgentOptions {
  /**
   * How many jobs may run at the same time.
   * @default 1
   */
  concurrency?: number;
  timeout?: number;
  readonly labels?: Record<string, string | number | boolean>;
  filter?: (data: any, job: Job) => boolean;
}

export declare class Queue extends EventEmitter {
  constructor(options?: QueueOptions);

  static create(name: string, config?: QueueOptions): Queue;

  push<T = unknown>(job: Job, options?: Partial<QueueOptions>): Promise<T>;
  push(job: Job, callback: Callback<Buffer>): this;

  on(event: 'error', listener: (err: Error) => void): this;
  on(event: string | symbol, listener: (...args: any[]) => void): this;

  /** @deprecated Use `close()` instead. */
  destroy(): void;

  protected readonly defaults: QueueOptions;
  private _jobs: Array<() => Promise<void>>;
}

export declare const version: string;
export declare function isQueue(value: unknown): value is Queue;
export default Queue;
