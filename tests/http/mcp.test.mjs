/* MCP as it goes over the wire: messages, eras, headers, tools, resources. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, note, UNKNOWN_ID, want } from "./calls.mjs";
import { ROOT, startServer, temporaryFolder } from "./harness.mjs";

const digest = (text) => createHash("sha256").update(text).digest("hex");
const TOKENS = { agent: "t-agent", other: "t-other", reader: "t-reader", judge: "t-judge" };
const DEFINITIONS = JSON.parse(fs.readFileSync(path.join(ROOT, "server/actions.json"), "utf8"));

let server, open;
before(async () => {
  const folder = temporaryFolder("mcp");
  const file = path.join(folder, "tokens");
  fs.writeFileSync(file, [`agent create,read ${digest(TOKENS.agent)}`, `other create,read ${digest(TOKENS.other)}`, `reader read ${digest(TOKENS.reader)}`, `judge approve ${digest(TOKENS.judge)}`].join("\n"));
  server = await startServer({ folder, env: { ARXD_TOKENS_FILE: file } });
  open = await startServer();
});
after(async () => {
  await server.stop();
  await open.stop();
});

const MODERN = "2026-07-28";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const META = { [VERSION]: MODERN, "io.modelcontextprotocol/clientCapabilities": {} };

/** A legacy request; gives the whole answer. */
const send = (message, { on = server, key = TOKENS.agent, headers = {}, ...options } = {}) =>
  call(on, "POST", "/mcp", { json: message, key: key ?? undefined, headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers }, ...options });
const request = (method, params, id = 1) => ({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
async function result(method, params, options) {
  const answer = await send(request(method, params), options);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.jsonrpc, "2.0");
  assert.equal(answer.body.id, 1);
  assert.ok(answer.body.result, answer.text);
  return answer.body.result;
}
/** The same, modern: with its _meta and headers. */
const sendModern = (method, params = {}, { meta = META, headers = {}, ...options } = {}) => {
  const name = params.name ?? params.uri;
  return send(request(method, { ...params, _meta: meta ?? undefined }), {
    ...options,
    headers: { "MCP-Protocol-Version": MODERN, "Mcp-Method": method, ...(name === undefined ? {} : { "Mcp-Name": name }), ...headers },
  });
};
const fails = (answer, status, code) => {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.error?.code, code, answer.text);
  assert.ok(answer.body.error.message);
  return answer.body.error;
};
const tool = async (name, args, options) => {
  const made = await result("tools/call", { name, arguments: args }, options);
  assert.equal(made.content.length, 1);
  assert.equal(made.content[0].type, "text");
  return made;
};
const succeeds = async (name, args, options) => {
  const made = await tool(name, args, options);
  assert.equal(made.isError, false, made.content[0].text);
  if (made.structuredContent) assert.deepEqual(JSON.parse(made.content[0].text), made.structuredContent);
  return JSON.parse(made.content[0].text);
};
const refuses = async (name, args, code, options) => {
  const made = await tool(name, args, options);
  assert.equal(made.isError, true, made.content[0].text);
  assert.equal(made.structuredContent, undefined);
  const [head, ...rest] = made.content[0].text.split("\n");
  assert.equal(head.split(": ")[0], code, head);
  return { says: head, details: rest.length ? JSON.parse(rest.join("\n")) : undefined };
};

/* ---- messages ---- */

test("initialize takes the asked version, or offers the newest it shares", async () => {
  for (const [asked, given] of [["2025-11-25", "2025-11-25"], ["2025-06-18", "2025-06-18"], ["2025-03-26", "2025-11-25"], [MODERN, "2025-11-25"], ["x", "2025-11-25"]]) {
    const made = await result("initialize", { protocolVersion: asked, capabilities: {}, clientInfo: { name: "t", version: "1" } });
    assert.equal(made.protocolVersion, given);
    assert.deepEqual(made.capabilities, { tools: {}, resources: {} });
    assert.deepEqual(Object.keys(made.serverInfo), ["name", "title", "version"]);
    assert.match(made.instructions, /approval/);
  }
  fails(await send(request("initialize", {})), 200, -32602);
});

test("what is no message is refused, what needs no answer gets none", async () => {
  for (const body of ["", "{", "{} {}", '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}', "1e400"]) {
    const answer = await send(undefined, { body });
    fails(answer, 400, -32700);
    assert.equal(answer.body.id, null);
  }
  for (const message of [[], [request("ping")], null, 1, "x", {}, { jsonrpc: "1.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: null, method: "ping" }, { jsonrpc: "2.0", id: {}, method: "ping" }, { jsonrpc: "2.0", id: 1, method: 1 }, { jsonrpc: "2.0", id: 1 }, request("ping", []), request("ping", null)]) {
    const answer = await send(message);
    fails(answer, 400, -32600);
    assert.equal(answer.body.id, null);
  }
  for (const message of [{ jsonrpc: "2.0", method: "notifications/initialized" }, { jsonrpc: "2.0", method: "anything", params: {} }, { jsonrpc: "2.0", id: 7, result: {} }, { jsonrpc: "2.0", id: 7, error: { code: 1, message: "x" } }]) {
    const answer = await send(message);
    assert.equal(answer.status, 202);
    assert.equal(answer.text, "");
  }
});

test("ids come back as they were", async () => {
  for (const id of [0, 1, -5, 1.5, "", "x\u2028\"", "9007199254740993"]) {
    const answer = await send(request("ping", undefined, id));
    assert.deepEqual(answer.body, { jsonrpc: "2.0", id, result: {} });
  }
});

test("there is one way in: POST", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const answer = await call(server, method, "/mcp", { headers: { Accept: "text/event-stream" } });
    assert.equal(answer.status, 405);
    assert.match(answer.headers.allow, /POST/);
  }
  assert.equal((await send(request("ping"), { headers: { "Mcp-Session-Id": "x", Accept: "*/*" } })).headers["mcp-session-id"], undefined);
});

test("unknown methods and versions", async () => {
  fails(await send(request("prompts/list")), 200, -32601);
  fails(await send(request("server/discover")), 200, -32601);
  for (const version of ["2025-03-26", "2024-11-05", "1"])
    fails(await send(request("ping"), { headers: { "MCP-Protocol-Version": version } }), 400, -32600);
  for (const version of ["2025-06-18", "2025-11-25"])
    assert.equal((await send(request("ping"), { headers: { "MCP-Protocol-Version": version } })).status, 200);
});

test("foreign pages and names get no answer; strangers and approvers neither", async () => {
  for (const headers of [{ Origin: "https://evil.example" }, { Origin: "null" }]) assert.equal((await send(request("ping"), { headers })).status, 403);
  const rebound = await server.request("POST", "/mcp", { host: false, headers: { Host: "evil.example", "Content-Type": "application/json" }, body: JSON.stringify(request("ping")) });
  assert.equal(rebound.status, 403);
  const near = await send(request("ping"), { headers: { Origin: "http://localhost:6274" } });
  assert.equal(near.headers["access-control-allow-origin"], "http://localhost:6274");
  const stranger = await send(request("ping"), { key: "nobody's" });
  assert.equal(stranger.status, 401);
  assert.equal(stranger.headers["www-authenticate"], "Bearer");
  assert.equal((await send(request("ping"), { key: TOKENS.judge })).status, 403);
});

/* ---- the modern era ---- */

test("a modern request carries its version, and its headers repeat it", async () => {
  const made = (await sendModern("server/discover")).body.result;
  assert.equal(made.resultType, "complete");
  assert.deepEqual(made.supportedVersions, [MODERN, "2025-11-25", "2025-06-18"]);
  assert.deepEqual(made.capabilities, { tools: {}, resources: {} });
  assert.equal(made._meta["io.modelcontextprotocol/serverInfo"].name, "arxd");
  assert.equal(made.cacheScope, "private");
  assert.ok(Number.isInteger(made.ttlMs));

  const discover = (options) => sendModern("server/discover", {}, options);
  fails(await discover({ meta: { [VERSION]: MODERN } }), 400, -32602);
  fails(await discover({ meta: { ...META, [VERSION]: 1 } }), 400, -32602);
  fails(await discover({ meta: null }), 400, -32602);
  fails(await discover({ headers: { "MCP-Protocol-Version": "2025-11-25" } }), 400, -32020);
  fails(await discover({ headers: { "Mcp-Method": "tools/list" } }), 400, -32020);
  fails(await discover({ headers: { "Mcp-Method": "Server/discover" } }), 400, -32020);
  const later = fails(await discover({ meta: { ...META, [VERSION]: "2027-01-01" }, headers: { "MCP-Protocol-Version": "2027-01-01" } }), 400, -32022);
  assert.deepEqual(later.data, { supported: [MODERN], requested: "2027-01-01" });
  const bare = await send(request("server/discover", { _meta: META }));
  fails(bare, 400, -32020);
  for (const method of ["ping", "initialize", "tools/none"]) fails(await sendModern(method), 404, -32601);
});

test("the name in the header is the name in the body, base64 or not", async () => {
  const params = { name: "service_get_limits", arguments: {} };
  const named = (name) => sendModern("tools/call", params, { headers: { "Mcp-Name": name } });
  assert.equal((await named("service_get_limits")).body.result.isError, false);
  assert.equal((await named(`=?base64?${Buffer.from("service_get_limits").toString("base64")}?=`)).status, 200);
  for (const name of ["service_get_stats", "", `=?base64?${Buffer.from("x").toString("base64")}?=`, "=?base64?*?=", "=?base64??="])
    fails(await named(name), 400, -32020);
  fails(await send(request("tools/call", { ...params, _meta: META }), { headers: { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call" } }), 400, -32020);
});

/* ---- tools ---- */

test("every tool, index entry and check of params is made of the one definition", async () => {
  const { tools } = await result("tools/list");
  assert.deepEqual(tools, (await sendModern("tools/list")).body.result.tools);
  const actions = DEFINITIONS.flatMap((surface) => surface.actions.map((action) => ({ surface, action })));
  assert.deepEqual(tools.map(({ name }) => name), [...actions.map(({ surface, action }) => `${surface.id}_${action.id}`), "oui_snapshot", "oui_read", "oui_result"]);
  const { index } = await want(200, server, "GET", "/oui/snapshot", { key: TOKENS.agent });
  for (const [i, { surface, action }] of actions.entries()) {
    const made = tools[i];
    const entry = index.find(({ id }) => id === surface.id).index.find(({ id }) => id === action.id);
    assert.match(made.name, /^[A-Za-z0-9_-]{1,64}$/);
    assert.equal(made.title, action.title);
    assert.ok(made.description.startsWith(action.description));
    if (action.usage) assert.ok(made.description.endsWith(` ${action.usage}`));
    assert.deepEqual(made.inputSchema, action.input);
    assert.deepEqual(made.outputSchema, action.async || action.output?.type !== "object" ? undefined : action.output);
    const isRead = ["view", "selection", "navigate", "open"].includes(action.effect);
    assert.deepEqual(made.annotations, { readOnlyHint: isRead, destructiveHint: action.confirm === true, idempotentHint: false, openWorldHint: false });
    assert.deepEqual(made._meta["arxd/oui"], { surface: surface.id, action: action.id, effect: action.effect, definitionHash: entry.definitionHash, requiresApproval: action.confirm === true && !isRead });
    // the check refuses what the definition refuses: a member it does not have
    const { details } = await refuses(made.name, { "no such member": 1 }, "VALIDATION_ERROR");
    assert.equal(typeof details.path, "string");
  }
  fails(await send(request("tools/list", { cursor: "x" })), 200, -32602);
});

test("a link is made, read, listed, labelled", async () => {
  const made = await succeeds("artifacts_create_link", { artifact: { kind: "markdown", content: "# Hello", title: "T" }, label: "mine" });
  assert.match(made.id, /^[0-9a-f-]{36}$/);
  assert.ok(made.edit_key);
  const read = await succeeds("artifacts_read", { id: made.id });
  assert.equal(read.text, "# Hello");
  assert.equal(read.label, "mine");
  await succeeds("artifacts_update", { id: made.id, label: "renamed" });
  const { links } = await succeeds("artifacts_list_links", {});
  assert.equal(links.find(({ id }) => id === made.id).label, "renamed");
  assert.equal((await succeeds("artifacts_list_links", {}, { key: TOKENS.other })).links.length, 0);
  await refuses("artifacts_read", { id: UNKNOWN_ID }, "app:link_not_found");
  await refuses("artifacts_update", { id: made.id, label: "theirs" }, "app:link_not_found", { key: TOKENS.other });
});

test("calls that cannot be", async () => {
  for (const name of ["none", "artifacts", "artifacts_", "artifacts_none", "oui_describe", "_", "x".repeat(300), 1, undefined])
    fails(await send(request("tools/call", { name, arguments: {} })), 200, -32602);
  for (const args of [[], 1, "x", null]) fails(await send(request("tools/call", { name: "service_get_stats", arguments: args })), 200, -32602);
  fails(await send(request("tools/call")), 200, -32602);
  await succeeds("service_get_stats", undefined);
  const { details } = await refuses("artifacts_read", { id: 5 }, "VALIDATION_ERROR");
  assert.equal(details.path, "/id");
  await refuses("artifacts_create_link", {}, "VALIDATION_ERROR");
});

test("keys may do what their scopes say", async () => {
  const args = { payload: "pe30" };
  assert.equal((await send(request("tools/call", { name: "artifacts_create_link", arguments: args }), { key: TOKENS.reader })).status, 403);
  for (const name of ["service_get_stats", "oui_snapshot"])
    assert.equal((await send(request("tools/call", { name, arguments: {} }), { key: null, on: server })).status, 401);
  assert.ok((await succeeds("artifacts_create_link", args, { on: open, key: null })).id);
});

test("what destroys is refused, approved by a person, and done once", async () => {
  const made = await succeeds("artifacts_create_link", { payload: "pe30" });
  const args = { id: made.id };
  const { says, details } = await refuses("artifacts_delete", args, "APPROVAL_REQUIRED");
  assert.match(says, /decideUrl/);
  assert.equal(details.status, "pending");
  assert.equal(details.decideUrl, `${server.origin}/oui/approvals/${details.approvalId}/decide`);
  assert.equal((await refuses("artifacts_delete", args, "APPROVAL_REQUIRED")).details.approvalId, details.approvalId);
  const decide = (key) => call(server, "POST", `/oui/approvals/${details.approvalId}/decide`, { json: { decision: "approve" }, key });
  assert.equal((await decide(TOKENS.agent)).status, 403); // never the agent
  assert.equal((await decide(TOKENS.judge)).status, 200);
  await refuses("artifacts_delete", args, "APPROVAL_REQUIRED", { key: TOKENS.other }); // another key's call is another call
  assert.equal((await succeeds("artifacts_read", { ...args, as: "record" })).id, made.id);
  await succeeds("artifacts_delete", args);
  await refuses("artifacts_read", args, "app:link_not_found");
  assert.notEqual((await refuses("artifacts_delete", args, "APPROVAL_REQUIRED")).details.approvalId, details.approvalId);
  const invalid = await refuses("artifacts_delete", { id: "x" }, "VALIDATION_ERROR"); // asks nobody
  assert.equal(invalid.details.approvalId, undefined);
  const nobody = await succeeds("artifacts_create_link", { payload: "pe30" }, { on: open, key: null });
  assert.match((await refuses("artifacts_delete", { id: nobody.id }, "APPROVAL_REQUIRED", { on: open, key: null })).says, /nobody who could/);
});

test("an encode ends, and its result can be asked for again", async () => {
  const words = Array.from({ length: 6000 }, (_, i) => `word${(i * 7919) % 99991}`).join(" ");
  const made = await succeeds("artifacts_encode", { artifact: { kind: "markdown", content: words } });
  assert.ok(made.fragment ?? made.url, JSON.stringify(made).slice(0, 200));
  const { observations } = await succeeds("oui_snapshot", {});
  const [job] = observations.artifacts.encode_jobs;
  assert.equal(job.status, "done");
  assert.deepEqual(await succeeds("oui_result", { requestId: job.requestId, wait_ms: 0 }), made);
  await refuses("oui_result", { requestId: job.requestId }, "NOT_FOUND", { key: TOKENS.other });
  await refuses("oui_result", { requestId: "none" }, "NOT_FOUND");
  await refuses("oui_result", { requestId: 1 }, "VALIDATION_ERROR");
});

test("observations are seen, cut, and read in pages", async () => {
  const { observations } = await succeeds("oui_snapshot", {});
  assert.ok(observations.service.limits.ttl_seconds_max > 0);
  assert.ok(Array.isArray(observations.artifacts.recent_links));
  const page = await succeeds("oui_read", { surface: "artifacts", observation: "recent_links", limit: 1 });
  assert.equal(page.rows.length, 1);
  assert.equal((await succeeds("oui_read", { surface: "service", observation: "limits", path: "/ttl_seconds_min" })).value, 60);
  await refuses("oui_read", { surface: "none", observation: "limits" }, "NOT_FOUND");
  await refuses("oui_read", { surface: "service", observation: "limits", path: "x" }, "INVALID_PARAMS");
  await refuses("oui_read", { surface: "service" }, "VALIDATION_ERROR");
  assert.equal((await succeeds("oui_snapshot", {}, { on: open, key: null })).observations.artifacts, undefined);
});

test("who calls too often is told when to come back", async () => {
  const own = await startServer({ args: ["--rate", "read=0,write=1/s,encode=0"] });
  const answers = [];
  for (let i = 0; i < 13; i++) answers.push(await tool("artifacts_create_link", { payload: "pe30" }, { on: own, key: null }));
  const last = answers.at(-1);
  assert.equal(last.isError, true);
  const [head, details] = last.content[0].text.split("\n");
  assert.match(head, /^app:busy: /);
  assert.ok(JSON.parse(details).retry_after_ms > 0);
  assert.equal((await tool("service_get_stats", {}, { on: own, key: null })).isError, false);
  await own.stop();
});

/* ---- resources ---- */

test("a link is a resource: the decoded artifact with its media type", async () => {
  const { resourceTemplates } = await result("resources/templates/list");
  assert.equal(resourceTemplates[0].uriTemplate, "arxd://artifact/{id}");
  for (const [kind, type, content] of [["markdown", "text/markdown", "# Ü\u2028\n"], ["code", "text/plain", "int x;"], ["csv", "text/csv", "a,b\n1,2\n"], ["json", "application/json", '{"a":1}'], ["diff", "text/x-diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"]]) {
    const made = await want(201, server, "POST", "/api/artifacts", { json: { envelope: note(content, { kind, ...(kind === "diff" ? { content: undefined, patch: content } : {}) }) }, key: TOKENS.other });
    const uri = `arxd://artifact/${made.id}`;
    const { contents } = await result("resources/read", { uri });
    assert.deepEqual(contents, [{ uri, mimeType: type, text: content }]);
    const modern = (await sendModern("resources/read", { uri })).body.result;
    assert.deepEqual(modern.contents, contents);
    assert.equal(modern.cacheScope, "private");
  }
  for (const uri of [`arxd://artifact/${UNKNOWN_ID}`, "arxd://artifact/x", "arxd://artifact/", "file:///etc/passwd", "", "x".repeat(5000)]) {
    const error = fails(await send(request("resources/read", { uri })), 200, -32002);
    assert.deepEqual(error.data, { uri });
    if (uri.startsWith("arxd:")) fails(await sendModern("resources/read", { uri }), 200, -32602);
  }
  fails(await send(request("resources/read", {})), 200, -32602);
});

test("views of a limited link are counted, also here", async () => {
  const made = await want(201, server, "POST", "/api/artifacts", { json: { envelope: note("once"), max_views: 1 }, key: TOKENS.agent });
  const uri = `arxd://artifact/${made.id}`;
  assert.equal((await result("resources/read", { uri })).contents[0].text, "once");
  fails(await send(request("resources/read", { uri })), 200, -32002);
});

test("the list holds what the key made, newest first, page by page", async () => {
  const key = TOKENS.reader; // made nothing, and cannot
  assert.deepEqual((await result("resources/list", undefined, { key })).resources, []);
  assert.deepEqual((await result("resources/list", undefined, { on: open, key: null })).resources, []);
  const ids = [];
  for (let i = 0; i < 55; i++) ids.push((await want(201, server, "POST", "/api/artifacts", { json: { envelope: note("x", { title: `No ${i}` }) }, key: TOKENS.agent })).id);
  const seen = [];
  let cursor;
  do {
    const page = await result("resources/list", cursor === undefined ? {} : { cursor });
    assert.ok(page.resources.length <= 50);
    seen.push(...page.resources);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen.slice(0, 55).map(({ uri }) => uri.slice("arxd://artifact/".length)), ids.reverse());
  assert.deepEqual(seen[0], { uri: `arxd://artifact/${ids[0]}`, name: "No 54", title: "No 54", mimeType: "text/markdown" });
  for (const wrong of ["x", "1", "1.", `0.${UNKNOWN_ID}`, `1.${UNKNOWN_ID}x`, 5]) fails(await send(request("resources/list", { cursor: wrong })), 200, -32602);
});
