/* calls.mjs - what several tests do with a server: calls with a body and a key, SQL, envelopes. */
import assert from "node:assert/strict";
import { run } from "./harness.mjs";

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

/** Runs SQL on a database a server may have open, without ever checkpointing it. */
export function sql(db, statement) {
  const script = `.timeout 5000\n.dbconfig no_ckpt_on_close on\nPRAGMA wal_autocheckpoint=0;\n${statement}\n`;
  const { code, stdout, stderr } = run("sqlite3", ["-batch", db], { input: script });
  assert.equal(code, 0, stderr);
  return stdout.trim().split("\n").slice(2).join("\n");
}

export const hexOf = (id) => id.replaceAll("-", "").toUpperCase();

/** Makes a link's row look as if it had expired at that time: long ago, unless said otherwise. */
export const expire = (db, id, atMs = 1) =>
  sql(db, `UPDATE lifetimes SET expires_at = ${atMs} WHERE row = (SELECT row FROM artifacts WHERE hex(id) = '${hexOf(id)}');`);

/** An envelope of one markdown artifact. */
export const note = (content, more = {}) => ({
  v: 1,
  codec: "plain",
  artifacts: [{ id: "note", kind: "markdown", content, ...more }],
});

export const UNKNOWN_ID = "3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab";
