/* What the tests of the agent interface share: keys, and a runtime's side of OUI. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { call } from "./calls.mjs";
import { startServer, temporaryFolder } from "./harness.mjs";

export const digest = (text) => createHash("sha256").update(text).digest("hex");
export const KEYS = { agent: "t-agent", other: "t-other", reader: "t-reader", boss: "t-boss", judge: "t-judge" };
const SCOPES = { agent: "create,read", other: "create", reader: "read", boss: "admin", judge: "approve" };

/** A server with the keys above. */
export async function startKeyed(options = {}) {
  const folder = options.folder ?? temporaryFolder("agents");
  const file = path.join(folder, "tokens");
  fs.writeFileSync(file, Object.entries(KEYS).map(([name, key]) => `${name} ${SCOPES[name]} ${digest(key)}`).join("\n"));
  return startServer({ ...options, folder, env: { ...options.env, ARXD_TOKENS_FILE: file } });
}

/** Sends one action request; `more` are other members of it, `query` of the URL. */
export function send(server, action, params = {}, { id = randomUUID(), key = KEYS.agent, more = {}, query = "" } = {}) {
  const [surfaceId, actionId] = action.split(".");
  const json = { requestId: id, surfaceId, actionId, params, timestamp: Date.now(), ...more };
  return call(server, "POST", `/oui/dispatch${query}`, { json, key: key ?? undefined });
}

/** The data of one that must succeed at once. */
export async function act(server, action, params, options) {
  const answer = await send(server, action, params, options);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.success, true, JSON.stringify(answer.body));
  assert.equal(answer.body.settled, true);
  assert.ok(!("error" in answer.body) && !("interim" in answer.body));
  return answer.body.data;
}

/** The error of one that must not. */
export async function fail(server, action, params, code, options) {
  const answer = await send(server, action, params, options);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.success, false, JSON.stringify(answer.body));
  assert.equal(answer.body.error.code, code, JSON.stringify(answer.body.error));
  assert.ok(!("data" in answer.body));
  return answer.body.error;
}
