/*
 * /openapi.json against the server itself: every answer it describes is provoked, for every route and
 * status, and must be what is described. (That it describes every route and error code there is, and
 * no other, is tests/unit/test_server_discovery.c's.)
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, expire, note, sql, UNKNOWN_ID } from "./calls.mjs";
import { lockDatabase, replaceInNotes } from "./database.mjs";
import { pageManifest, startServer, temporaryFolder, until } from "./harness.mjs";
import { faults, resolve } from "./schema.mjs";

const SMALL = ["--max-body", "262144"];
const MAKER = "t-maker";
let server, guarded, doc;
before(async () => {
  const folder = temporaryFolder("openapi");
  const file = path.join(folder, "tokens");
  const digest = (token) => createHash("sha256").update(token).digest("hex");
  fs.writeFileSync(file, `maker create ${digest(MAKER)}\nreader read ${digest("t-reader")}\njudge approve ${digest("t-judge")}\n`);
  server = await startServer({ args: SMALL });
  guarded = await startServer({ folder, args: ["--tokens", file, "--gone"] });
  doc = await server.getJson("/openapi.json");
});
after(async () => {
  await server.stop();
  await guarded.stop();
});

const METHODS = ["get", "put", "post", "delete"];
const operations = () =>
  Object.entries(doc.paths).flatMap(([template, item]) => METHODS.filter((m) => item[m]).map((m) => [template, m, item[m]]));
const follow = (value) => (value.$ref ? resolve(doc, value.$ref) : value);

const seen = new Set();
/** The answer is one that is described for this operation and status. */
function check(template, method, answer) {
  const operation = doc.paths[template]?.[method.toLowerCase()];
  assert.ok(operation, `${method} ${template} is described`);
  const what = `${method} ${template} ${answer.status}`;
  assert.ok(operation.responses[answer.status], `${what} is described; ${answer.text.slice(0, 200)}`);
  const described = follow(operation.responses[answer.status]);
  seen.add(what.toLowerCase());
  for (const [name, header] of Object.entries(described.headers ?? {})) {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) assert.ok(!header.required, `${what} lacks ${name}`);
    else if (header.schema.type === "integer") assert.ok(Number(value) >= (header.schema.minimum ?? 0), `${name} of ${what}`);
  }
  if (!described.content) {
    assert.equal(answer.bytes.length, 0, what);
    return;
  }
  const type = answer.headers["content-type"].split(";")[0];
  const content = described.content[type];
  assert.ok(content, `${what}: ${type} is described`);
  const isJson = /[/+]json$/.test(type) && answer.headers["content-encoding"] === undefined;
  if (answer.headers["content-encoding"] === undefined) {
    const value = isJson ? JSON.parse(answer.text) : answer.text;
    assert.deepEqual(faults(doc, content.schema, value), [], what);
  }
}

/** Calls and checks. `path` fills the template's names. */
async function provoke(status, template, method, { path: names = {}, query = "", on = server, ...options } = {}) {
  const target = template.replace(/\{(\w+)\}/g, (_, name) => names[name]) + query;
  const answer = await call(on, method, target, options);
  assert.equal(answer.status, status, `${method} ${target}: ${answer.text.slice(0, 300)}`);
  check(template, method, answer);
  return answer;
}

const make = (on = server, more = {}) =>
  call(on, "POST", "/api/artifacts", { json: { envelope: note("x", { title: "T" }), ...more }, key: MAKER }).then(({ body }) => body);

/* ---- the document itself ---- */

test("it is OpenAPI 3.1, and its references lead somewhere", () => {
  assert.match(doc.openapi, /^3\.1\.\d+$/);
  assert.equal(doc.servers[0].url, server.origin);
  const walk = (value, visit) => {
    if (value === null || typeof value !== "object") return;
    visit(value);
    for (const inner of Object.values(value)) walk(inner, visit);
  };
  walk(doc, (value) => typeof value.$ref === "string" && resolve(doc, value.$ref));
  const ids = operations().map(([, , operation]) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length, "operationIds are unique");
  const tags = doc.tags.map(({ name }) => name);
  for (const [template, method, operation] of operations()) {
    const what = `${method} ${template}`;
    assert.ok(operation.summary, what);
    assert.ok(operation.tags.every((tag) => tags.includes(tag)), what);
    assert.ok(operation.responses.default, what);
    const parameters = [...(doc.paths[template].parameters ?? []), ...(operation.parameters ?? [])].map(follow);
    const named = parameters.filter(({ in: where }) => where === "path").map(({ name }) => name);
    assert.deepEqual(named.sort(), [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(), what);
    for (const requirement of operation.security ?? [])
      for (const scheme of Object.keys(requirement)) assert.ok(doc.components.securitySchemes[scheme], scheme);
  }
});

test("its examples are accepted, and are what their schemas say", async () => {
  let tried = 0;
  for (const [template, method, operation] of operations()) {
    const { schema, example } = operation.requestBody?.content?.["application/json"] ?? {};
    if (example === undefined) continue;
    assert.deepEqual(faults(doc, schema, example), [], `${method} ${template}`);
    const made = method === "put" ? await make() : null;
    const answer = await call(server, method.toUpperCase(), template.replace("{id}", made?.id), { json: example, key: made?.edit_key });
    assert.ok(answer.status < 300, `${method} ${template}: ${answer.text}`);
    tried++;
  }
  assert.equal(tried, 5);
});

/* ---- answers, route by route ---- */

test("documents and assets", async () => {
  const { active } = await server.getJson("/assets/index.json");
  const files = ["arx-dictionary.json", "arx2-dictionary.json", "arx4-priors.json"];
  const page = ["/", "/security", "/url-explainer", "/diagram", "/icon.svg", "/THIRD_PARTY_NOTICES.txt"];
  const fixed = [...page, "/robots.txt", "/sitemap.xml", "/llms.txt", "/openapi.json", "/.well-known/api-catalog", "/.well-known/agent-skills/index.json", "/.well-known/agent-skills/arxd/SKILL.md", "/assets/index.json"];
  for (const template of [...fixed, ...files.flatMap((name) => [`/${name}`, `/${name}.br`])]) {
    const { headers } = await provoke(200, template, "GET");
    assert.ok(headers.etag && headers["last-modified"], template);
    await provoke(304, template, "GET", { headers: { "If-None-Match": headers.etag } });
  }
  for (const template of ["/assets/index.json", ...page, ...files.map((name) => `/${name}`)])
    await provoke(406, template, "GET", { headers: { "Accept-Encoding": "identity;q=0" } });
  for (const { path: target } of pageManifest().files.filter(({ immutable }) => immutable)) {
    const name = target.slice("/page/".length);
    const { headers } = await provoke(200, "/page/{name}", "GET", { path: { name } });
    await provoke(304, "/page/{name}", "GET", { path: { name }, headers: { "If-None-Match": headers.etag } });
    await provoke(406, "/page/{name}", "GET", { path: { name }, headers: { "Accept-Encoding": "identity;q=0, br;q=0, gzip;q=0" } });
  }
  await provoke(404, "/page/{name}", "GET", { path: { name: "other.mjs" } });
  const names = { set: active, name: files[0] };
  const { headers } = await provoke(200, "/assets/{set}/{name}", "GET", { path: names });
  await provoke(304, "/assets/{set}/{name}", "GET", { path: names, headers: { "If-None-Match": headers.etag } });
  await provoke(404, "/assets/{set}/{name}", "GET", { path: { set: active, name: "other.json" } });
  await provoke(406, "/assets/{set}/{name}", "GET", { path: names, headers: { "Accept-Encoding": "identity;q=0" } });
});

const LARGE = "x".repeat(300_000);
const KEYED = { "Idempotency-Key": "0123456789abcdef" };

test("making links", async () => {
  const json = { envelope: note("x") };
  await provoke(201, "/api/artifacts", "POST", { json });
  await provoke(201, "/api/artifacts", "POST", { json: { payload: "zzz" } });
  await provoke(400, "/api/artifacts", "POST", { body: "{" });
  await provoke(400, "/api/artifacts", "POST", { json: { payload: "a", ttl_seconds: 1 } });
  await provoke(401, "/api/artifacts", "POST", { json, on: guarded });
  await provoke(403, "/api/artifacts", "POST", { json, on: guarded, key: "t-reader" });
  await provoke(413, "/api/artifacts", "POST", { json: { payload: LARGE } });
  await provoke(422, "/api/artifacts", "POST", { json: { payload: "zzz", validate: true } });
  await provoke(201, "/api/artifacts", "POST", { json, headers: KEYED });
  await provoke(409, "/api/artifacts", "POST", { json: { payload: "a" }, headers: KEYED });

  await provoke(201, "/share", "POST", { body: "# x" });
  await provoke(201, "/share", "POST", { body: "# x", headers: { Accept: "application/json" } });
  await provoke(400, "/share", "POST", { body: "x", query: "?kind=image" });
  await provoke(401, "/share", "POST", { body: "x", on: guarded });
  await provoke(403, "/share", "POST", { body: "x", on: guarded, key: "t-reader" });
  await provoke(409, "/share", "POST", { body: "x", headers: KEYED });
  await provoke(413, "/share", "POST", { body: LARGE });
  await provoke(413, "/share", "POST", { body: "x".repeat(200_001) });
  await provoke(422, "/share", "POST", { body: " " });
});

test("encoding and decoding", async () => {
  const json = { envelope: note("x") };
  const { body } = await provoke(200, "/encode", "POST", { json });
  await provoke(200, "/encode", "POST", { json: { ...json, store: true } });
  await provoke(200, "/encode", "POST", { json: { artifact: { kind: "csv", content: "a,b\n1,2\n" }, codec: "plain", label: "L" } });
  await provoke(200, "/encode", "POST", { json: { artifact: { kind: "markdown", content: Array.from({ length: 4000 }, (_, i) => (i * 7919) % 99991).join(" ") } } });
  const accepted = await provoke(202, "/encode", "POST", { json, headers: { Prefer: "respond-async" } });
  await provoke(400, "/encode", "POST", { json: { ...json, codec: "zip" } });
  await provoke(401, "/encode", "POST", { json: { ...json, store: true }, on: guarded });
  await provoke(403, "/encode", "POST", { json: { ...json, store: true }, on: guarded, key: "t-reader" });
  await provoke(409, "/encode", "POST", { json: { ...json, store: true }, headers: KEYED });
  await provoke(413, "/encode", "POST", { json: { envelope: note(LARGE) } });
  await provoke(422, "/encode", "POST", { json: { envelope: {} } });

  const job = { id: accepted.body.job };
  await until(async () => (await provoke(200, "/encode/jobs/{id}", "GET", { path: job })).body.status === "done", "the job's end");
  await provoke(404, "/encode/jobs/{id}", "GET", { path: { id: UNKNOWN_ID } });
  await provoke(200, "/encode/jobs/{id}", "DELETE", { path: job });
  await provoke(404, "/encode/jobs/{id}", "DELETE", { path: { id: UNKNOWN_ID } });

  await provoke(200, "/decode", "POST", { json: { fragment: body.fragment } });
  await provoke(400, "/decode", "POST", { json: {} });
  await provoke(413, "/decode", "POST", { json: { fragment: LARGE } });
  await provoke(422, "/decode", "POST", { json: { fragment: "zzz" } });
});

test("links that are there, that are not, and that are gone", async () => {
  const made = await make();
  const row = { path: { id: made.id } };
  const none = { path: { id: UNKNOWN_ID } };
  const key = made.edit_key;
  const json = { payload: "pe30" };
  const target = "/api/artifacts/{id}";
  await provoke(200, target, "GET", row);
  await provoke(404, target, "GET", none);
  for (const accept of ["text/html", "text/markdown", "text/plain", "application/json"]) {
    await provoke(200, "/{id}", "GET", { ...row, headers: { Accept: accept } });
    await provoke(404, "/{id}", "GET", { ...none, headers: { Accept: accept } });
  }
  await provoke(200, "/{id}/raw", "GET", row);
  await provoke(404, "/{id}/raw", "GET", none);
  await provoke(200, "/{id}/raw/{name}", "GET", { path: { id: made.id, name: "note" } });
  await provoke(404, "/{id}/raw/{name}", "GET", { path: { id: made.id, name: "other" } });
  await provoke(409, "/{id}/view", "POST", row);
  await provoke(404, "/{id}/view", "POST", none);
  const limited = await make(server, { max_views: 5 });
  await provoke(200, "/{id}", "GET", { path: { id: limited.id } });
  for (const accept of ["text/html", "text/markdown", "text/plain", "application/json"])
    await provoke(200, "/{id}/view", "POST", { path: { id: limited.id }, headers: { Accept: accept } });

  await provoke(200, target, "PUT", { ...row, json, key });
  await provoke(400, target, "PUT", { ...row, body: "{", key });
  await provoke(401, target, "PUT", { ...row, json });
  await provoke(404, target, "PUT", { ...none, json });
  await provoke(413, target, "PUT", { ...row, json: { payload: LARGE }, key });
  await provoke(422, target, "PUT", { ...row, json: { payload: "zzz", validate: true }, key });
  await provoke(401, target, "DELETE", row);
  await provoke(200, target, "DELETE", { ...row, key });
  await provoke(404, target, "DELETE", { ...row, key });

  const gone = await make(guarded);
  await provoke(200, target, "DELETE", { path: { id: gone.id }, key: gone.edit_key, on: guarded });
  const was = { path: { id: gone.id }, on: guarded };
  await provoke(410, target, "GET", was);
  await provoke(410, target, "PUT", { ...was, json, key: gone.edit_key });
  await provoke(410, "/{id}", "GET", was);
  await provoke(410, "/{id}/view", "POST", was);
  await provoke(410, "/{id}/raw", "GET", was);
  await provoke(410, "/{id}/raw/{name}", "GET", { path: { id: gone.id, name: "note" }, on: guarded });

  const broken = (await server.create({ payload: "zzz" })).id;
  const counted = (await server.create({ payload: "zzz", max_views: 1 })).id;
  await provoke(422, "/{id}", "GET", { path: { id: broken }, headers: { Accept: "application/json" } });
  await provoke(422, "/{id}", "GET", { path: { id: broken }, headers: { Accept: "text/plain" } });
  await provoke(422, "/{id}/view", "POST", { path: { id: counted }, headers: { Accept: "text/plain" } });
  await provoke(422, "/{id}/raw", "GET", { path: { id: broken } });
  await provoke(422, "/{id}/raw/{name}", "GET", { path: { id: broken, name: "note" } });
  await provoke(200, "/api/cleanup", "POST");
  await provoke(200, "/health", "GET");
});

test("approvals", async () => {
  const json = { surfaceId: "artifacts", actionId: "delete", params: { id: UNKNOWN_ID } };
  const on = guarded;
  const judge = { on, key: "t-judge" };
  const ask = async (id) => ({ name: (await provoke(201, "/oui/approvals", "POST", { json: { ...json, params: { id } }, on })).body.approvalId });
  const path = await ask(UNKNOWN_ID);
  await provoke(400, "/oui/approvals", "POST", { json: { ...json, actionId: "read" }, on });
  await provoke(403, "/oui/approvals", "POST", { json, ...judge });
  await provoke(200, "/oui/approvals/{name}", "GET", { path, on });
  await provoke(200, "/oui/approvals/{name}", "GET", { path, ...judge });
  await provoke(404, "/oui/approvals/{name}", "GET", { path: { name: "none" }, on });
  const decide = "/oui/approvals/{name}/decide";
  const approve = { json: { decision: "approve" } };
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  await provoke(400, decide, "POST", { path, json: { decision: "maybe" }, ...judge });
  await provoke(401, decide, "POST", { path, ...approve, on });
  await provoke(403, decide, "POST", { path, ...approve, on, key: MAKER });
  await provoke(403, decide, "POST", { path, body: "token=none", headers: form, on });
  await provoke(404, decide, "POST", { path: { name: "none" }, ...approve, ...judge });
  await provoke(200, decide, "POST", { path, ...approve, ...judge });
  await provoke(409, decide, "POST", { path, ...approve, ...judge });
  const late = await ask("AAAAAAAAAAAAAAAAAAAAAA");
  const { body: grant } = await provoke(200, decide, "POST", { path: late, ...approve, ...judge });
  replaceInNotes(guarded.db, 1, '"status":"approved"', '"status":"used"');
  await provoke(410, decide, "POST", { path: late, ...approve, ...judge });

  await provoke(200, decide, "GET", { path, on });
  const { headers } = await provoke(303, decide, "POST", { path, body: "token=t-judge", headers: form, on });
  const Cookie = headers["set-cookie"][0].split(";")[0];
  await provoke(200, decide, "GET", { path, headers: { Cookie }, on });
  await provoke(404, decide, "GET", { path: { name: "none" }, headers: { Cookie }, on });

  const wanted = { ...grant, approvalId: "by-hand", surfaceId: "artifacts", actionId: "delete" };
  await provoke(201, "/oui/grants", "POST", { json: wanted, ...judge });
  await provoke(400, "/oui/grants", "POST", { json: { ...wanted, argsHash: "x" }, ...judge });
  await provoke(401, "/oui/grants", "POST", { json: wanted, on });
  await provoke(403, "/oui/grants", "POST", { json: wanted, on, key: MAKER });
  await provoke(409, "/oui/grants", "POST", { json: { ...wanted, approvalId: grant.approvalId }, ...judge });
});

test("actions of agents", async () => {
  const on = guarded;
  const key = MAKER;
  const ask = (id, actionId = "get_limits", params = {}, surfaceId = "service") => ({ json: { requestId: id, surfaceId, actionId, params }, on, key });
  const { headers } = await provoke(200, "/oui/snapshot", "GET", { on, key, query: "?form=full" });
  await provoke(200, "/oui/snapshot", "GET");
  await until(async () => {
    const { headers } = await call(on, "GET", "/oui/snapshot", { key });
    const again = await call(on, "GET", "/oui/snapshot", { key, headers: { "If-None-Match": headers.etag } });
    if (again.status === 304) check("/oui/snapshot", "GET", again);
    return again.status === 304;
  }, "a 304");
  assert.ok(headers.etag);
  await provoke(400, "/oui/snapshot", "GET", { on, key, query: "?form=x" });
  await provoke(401, "/oui/snapshot", "GET", { on });
  await provoke(403, "/oui/snapshot", "GET", { on, key: "t-judge" });

  const target = "/oui/dispatch";
  await provoke(200, target, "POST", ask("r-1"));
  await provoke(200, target, "POST", ask("r-2", "destroy"));
  await provoke(202, target, "POST", ask("r-3", "encode", { artifact: { kind: "markdown", content: "x" } }, "artifacts"));
  await provoke(400, target, "POST", { json: {}, on, key });
  await provoke(401, target, "POST", { ...ask("r-4"), key: undefined });
  await provoke(403, target, "POST", { ...ask("r-5"), key: "t-judge" });
  await provoke(409, target, "POST", ask("r-1", "get_stats"));
  await provoke(413, target, "POST", { json: { requestId: LARGE }, on: server });

  const result = "/oui/results/{name}";
  await provoke(200, result, "GET", { path: { name: "r-3" }, query: "?final=1", on, key });
  await provoke(200, result, "GET", { path: { name: "r-3" }, on, key });
  await provoke(400, result, "GET", { path: { name: "r-1" }, query: "?final=x", on, key });
  await provoke(401, result, "GET", { path: { name: "r-1" }, on });
  await provoke(403, result, "GET", { path: { name: "r-1" }, on, key: "t-judge" });
  await provoke(404, result, "GET", { path: { name: "r-9" }, on, key });
  await until(async () => {
    for (let i = 0; i < 4; i++) await call(on, "POST", target, ask(`h-${seen.size}-${i}-${Date.now()}`, "encode", { artifact: heavy(i).artifact }, "artifacts"));
    const id = `late-${Date.now()}`;
    await call(on, "POST", target, ask(id, "encode", { artifact: heavy(9).artifact }, "artifacts"));
    const none = await call(on, "GET", `/oui/results/${id}?final=1&waitMs=0`, { key });
    if (none.status === 204) check(result, "GET", none);
    return none.status === 204;
  }, "a 204", 60_000);

  const stop = new AbortController();
  const stream = await fetch(`${server.origin}/oui/events`, { signal: stop.signal });
  check("/oui/events", "GET", { status: stream.status, headers: Object.fromEntries(stream.headers), text: "", bytes: Buffer.alloc(0) });
  stop.abort();
  await provoke(400, "/oui/events", "GET", { query: "?announce=x", on, key });
  await provoke(401, "/oui/events", "GET", { on });
  await provoke(403, "/oui/events", "GET", { on, key: "t-judge" });

  const ack = "/oui/results/{name}/ack";
  const path = { name: "r-1" };
  await provoke(200, ack, "POST", { path, json: { ok: false }, on, key });
  await provoke(204, ack, "POST", { path, json: { ok: true }, on, key });
  await provoke(400, ack, "POST", { path, json: { ok: 1 }, on, key });
  await provoke(401, ack, "POST", { path, json: { ok: true }, on });
  await provoke(403, ack, "POST", { path, json: { ok: true }, on, key: "t-judge" });
  await provoke(404, ack, "POST", { path: { name: "r-9" }, json: { ok: true }, on, key });
});

test("the Model Context Protocol", async () => {
  const message = { jsonrpc: "2.0", id: 1, method: "ping" };
  await provoke(200, "/mcp", "POST", { json: message });
  await provoke(202, "/mcp", "POST", { json: { jsonrpc: "2.0", method: "notifications/initialized" } });
  await provoke(400, "/mcp", "POST", { body: "{" });
  await provoke(401, "/mcp", "POST", { json: message, on: guarded, key: "nobody's" });
  await provoke(403, "/mcp", "POST", { json: message, on: guarded, key: "t-judge" });
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "ping" };
  await provoke(404, "/mcp", "POST", { json: { ...message, params: { _meta: meta } }, headers });
});

/* ---- answers of a server in trouble ---- */

/** The calls that end in the database, each with the options it needs. */
const storing = ({ id, edit_key, limited }) => [
  ["/api/artifacts", "POST", { json: { payload: "pe30" } }],
  ["/api/artifacts/{id}", "GET", { path: { id: limited } }],
  ["/api/artifacts/{id}", "PUT", { path: { id }, json: { payload: "pe30" }, key: edit_key }],
  ["/api/artifacts/{id}", "DELETE", { path: { id }, key: edit_key }],
  ["/api/cleanup", "POST", {}],
  ["/encode", "POST", { json: { envelope: note("x"), store: true } }],
  ["/share", "POST", { body: "x" }],
  ["/{id}", "GET", { path: { id: limited }, headers: { Accept: "text/html" } }],
  ["/{id}/view", "POST", { path: { id: limited } }],
  ["/{id}/raw", "GET", { path: { id: limited } }],
  ["/{id}/raw/{name}", "GET", { path: { id: limited, name: "note" } }],
];
async function rowsOn(on) {
  const { id, edit_key } = await make(on);
  return { id, edit_key, limited: (await make(on, { max_views: 9 })).id };
}

test("a database whose tables are gone: 500, and /health says so", async () => {
  const own = await startServer();
  const rows = await rowsOn(own);
  sql(own.db, "DROP TABLE artifacts; DROP TABLE lifetimes; DROP TABLE notes;");
  for (const [template, method, options] of storing(rows)) await provoke(500, template, method, { ...options, on: own });
  for (const method of ["GET", "DELETE"]) await provoke(500, "/encode/jobs/{id}", method, { path: { id: UNKNOWN_ID }, on: own });
  await provoke(503, "/health", "GET", { on: own });
  assert.ok(own.output.length > 0, "the operator is told");
  await own.kill();
});

test("a database that is locked: writes wait, then 503", async () => {
  const own = await startServer();
  const rows = await rowsOn(own);
  expire(own.db, (await own.create("pe30")).id); // something to clean up
  const unlock = await lockDatabase(own.db);
  // the page of a limited link is a read: it is answered all the same
  await Promise.all(
    storing(rows).map(([template, method, options]) =>
      provoke(template === "/{id}" ? 200 : 503, template, method, { ...options, on: own }),
    ),
  );
  await unlock();
  await own.create("pe30");
  own.output = "";
  await own.stop();
});

/** The calls that need a worker; `rows` are made anew for every try, as cached bodies need none. */
const working = (fragment, rows) => [
  ["/api/artifacts", "POST", () => ({ json: { envelope: note("y") } })],
  ["/api/artifacts/{id}", "PUT", () => ({ path: { id: rows.one.id }, json: { envelope: note("y") }, key: rows.one.edit_key })],
  ["/encode", "POST", () => ({ json: { envelope: note("y") } })],
  ["/share", "POST", () => ({ body: "y" })],
  ["/decode", "POST", () => ({ json: { fragment } })],
  ["/{id}", "GET", () => ({ path: { id: rows.one.id }, headers: { Accept: "application/json" } })],
  ["/{id}/view", "POST", () => ({ path: { id: rows.limited.id }, headers: { Accept: "text/plain" } })],
  ["/{id}/raw", "GET", () => ({ path: { id: rows.one.id } })],
  ["/{id}/raw/{name}", "GET", () => ({ path: { id: rows.one.id, name: "note" } })],
];

const heavy = (seed) => ({
  artifact: { kind: "markdown", content: Array.from({ length: 24_000 }, (_, i) => `w${((i + seed) * 7919) % 99_991}`).join(" ") },
  async: true,
});

for (const [name, status, args, jobs] of [
  ["workers that are all taken: 503", 503, ["--workers", "1", "--queue", "1"], 2],
  ["work that takes too long: 504", 504, ["--workers", "1", "--queue", "64", "--encode-deadline", "100"], 6],
])
  test(name, async () => {
    const own = await startServer({ args });
    const { body } = await call(server, "POST", "/encode", { json: { envelope: note("y") } });
    const rows = {};
    for (const [template, method, options] of working(body.fragment, rows)) {
      const answer = await until(async () => {
        rows.one = await own.create(body.fragment);
        rows.limited = await own.create({ payload: body.fragment, max_views: 9 });
        for (let i = 0; i < jobs; i++) await call(own, "POST", "/encode", { json: heavy(i) });
        const { path: names = {}, ...sent } = options();
        const tried = await call(own, method, template.replace(/\{(\w+)\}/g, (_, part) => names[part]), sent);
        return tried.status === status && tried;
      }, `${method} ${template} ${status}`, 60_000);
      check(template, method, answer);
    }
    await own.stop();
  });

test("everything that is described has been seen", () => {
  const described = operations().flatMap(([template, method, operation]) =>
    Object.keys(operation.responses)
      .filter((status) => status !== "default")
      .map((status) => `${method} ${template} ${status}`.toLowerCase()),
  );
  const unseen = described.filter((what) => !seen.has(what));
  assert.deepEqual(unseen, []);
  assert.ok(described.length > 120, `${described.length} answers`);
});
