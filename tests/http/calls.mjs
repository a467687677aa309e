/* calls.mjs - what several tests do with a server: calls with a body and a key, envelopes. */
import assert from "node:assert/strict";

export { dump, expire, hexOf, sql } from "./database.mjs";

/**
 * One request; `json` is sent as JSON, `body` as it is, `key` as a bearer. The answer has status,
 * headers (lower-case names), bytes, text and, where it is JSON, body.
 */
export async function call(server, method, target, { json, body, key, headers = {} } = {}) {
  const sent = { ...headers };
  if (key !== undefined) sent.Authorization = `Bearer ${key}`;
  const bytes = json !== undefined ? JSON.stringify(json) : body;
  if (bytes !== undefined) sent["Content-Length"] = String(Buffer.byteLength(bytes));
  const path = target.replace(server.origin, "");
  const answer = await server.request(method, path, { headers: sent, body: bytes });
  const isJson = answer.headers["content-type"]?.startsWith("application/json") && !answer.headers["content-encoding"];
  if (isJson && answer.bytes.length > 0)
    answer.body = JSON.parse(answer.text);
  return answer;
}

/** The same, which must be answered with `status`; gives the body (or the text). */
export async function want(status, server, method, target, options) {
  const answer = await call(server, method, target, options);
  assert.equal(answer.status, status, `${method} ${target}: ${answer.text.slice(0, 300)}`);
  return answer.body ?? answer.text;
}

/** An envelope of one markdown artifact. */
export const note = (content, more = {}) => ({
  v: 1,
  codec: "plain",
  artifacts: [{ id: "note", kind: "markdown", content, ...more }],
});

export const UNKNOWN_ID = "3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab";
