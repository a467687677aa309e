/* OUI over HTTP: snapshots, action requests, receipts, repeats, results, acknowledgments, consent. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { act, digest, fail, KEYS, send, startKeyed } from "./agents.mjs";
import { call, UNKNOWN_ID, want } from "./calls.mjs";
import { assertError, ROOT, startServer, until } from "./harness.mjs";

const vector = JSON.parse(fs.readFileSync(path.join(ROOT, "tests/vectors/oui/service-index.json"), "utf8"));
const INDEX = { hash: vector.surfacesHashIndex, list: JSON.parse(vector.indexJson) };
const FULL = { hash: vector.surfacesHashFull, list: JSON.parse(vector.surfacesJson) };
const report = (content = "# Report\n\nAll is well.\n") => ({ kind: "markdown", title: "Report", content });

let server, open;
before(async () => {
  server = await startKeyed();
  open = await startServer();
});
after(async () => {
  await server.stop();
  await open.stop();
});

const get = (target, key = KEYS.agent, on = server) => call(on, "GET", target, { key: key ?? undefined });
const link = (more = {}, options) => act(server, "artifacts.create_link", { artifact: report(), ...more }, options);

/* ---- snapshots ---- */

test("a snapshot has the surfaces in the form asked for, and what the key may see", async () => {
  for (const [query, form, member] of [["", INDEX, "index"], ["?form=index", INDEX, "index"], ["?form=full", FULL, "surfaces"]]) {
    const answer = await get(`/oui/snapshot${query}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body), [member, "observations", "surfacesHash"]);
    assert.deepEqual(answer.body[member], form.list);
    assert.equal(answer.body.surfacesHash, form.hash);
    assert.equal(answer.headers["oui-surfaces-hash"], form.hash);
    assert.equal(answer.headers["oui-version"], "0.7.0");
    assert.equal(answer.headers["cache-control"], "no-store");
  }
  const { observations } = (await get("/oui/snapshot")).body;
  assert.deepEqual(Object.keys(observations), ["artifacts", "service"]);
  assert.deepEqual(Object.keys(observations.artifacts), ["recent_links", "encode_jobs"]);
  assert.deepEqual(Object.keys(observations.service), ["stats", "encoder", "limits"]);
  assert.equal(observations.service.limits.payload_max_characters, 500_000);
  assertError(await get("/oui/snapshot?form=short"), 400, "form must be index or full.", "invalid-request");
  assert.equal((await get("/oui/snapshot?form=short")).body.ok, false);
});

test("a snapshot that did not change is not sent again", async () => {
  await until(async () => {
    const first = await get("/oui/snapshot", KEYS.other);
    const etag = first.headers["etag"];
    assert.match(etag, /^W\/"[0-9a-f]{16}"$/);
    const again = await call(server, "GET", "/oui/snapshot", { key: KEYS.other, headers: { "If-None-Match": etag } });
    return again.status === 304 && again.text === "";
  }, "a 304");
});

test("without keys everybody sees the service and nobody's links", async () => {
  const { body } = await get("/oui/snapshot", null, open);
  assert.deepEqual(Object.keys(body.observations), ["service"]);
  assert.deepEqual(body.index, INDEX.list);
  const made = await act(open, "artifacts.create_link", { artifact: report() }, { key: null });
  assert.equal((await act(open, "artifacts.read", { id: made.id }, { key: null })).text, report().content);
  assert.deepEqual(await act(open, "artifacts.list_links", {}, { key: null }), { links: [] });
  await fail(open, "artifacts.update", { id: made.id, label: "x" }, "app:link_not_found", { key: null });
  await act(open, "artifacts.update", { id: made.id, label: "x", edit_key: made.edit_key }, { key: null });
  await fail(open, "artifacts.delete", { id: made.id }, "APPROVAL_REQUIRED", { key: null });
});

/* ---- envelopes and receipts ---- */

test("what is no request gets a receipt that says so, and runs nothing", async () => {
  const good = { requestId: randomUUID(), surfaceId: "service", actionId: "get_limits", params: {} };
  const text = JSON.stringify(good);
  for (const body of [
    "", "null", "[]", "7", "{}", "{", text + "x", "\ufeff" + text,
    JSON.stringify({ ...good, requestId: "" }), JSON.stringify({ ...good, requestId: 7 }), JSON.stringify({ ...good, requestId: "x".repeat(201) }),
    JSON.stringify({ ...good, requestId: "a\u0000b" }),
    JSON.stringify({ ...good, surfaceId: undefined }), JSON.stringify({ ...good, actionId: null }),
    JSON.stringify({ type: "action:result", payload: good }), JSON.stringify({ type: "action:request" }),
    text.replace("{}", '{"a":"\\ud800"}'), text.replace("{}", '{"a":1e400}'),
    Buffer.from([...Buffer.from(text.slice(0, -1)), 0xff, 0x7d]),
  ]) {
    const answer = await call(server, "POST", "/oui/dispatch", { body, key: KEYS.agent });
    assert.equal(answer.status, 400, String(body));
    assert.equal(answer.body.ok, false);
    assert.equal(typeof answer.body.reason, "string");
  }
  for (const json of [good, { type: "action:request", payload: { ...good, requestId: randomUUID() } }, { ...good, requestId: randomUUID(), params: null }, { ...good, requestId: randomUUID(), params: undefined, turnId: "t", x: 1 }]) {
    const answer = await call(server, "POST", "/oui/dispatch", { json, key: KEYS.agent });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.success, true);
  }
  assert.equal((await call(server, "POST", "/oui/dispatch?waitMs=x", { json: good, key: KEYS.agent })).status, 400);
  assert.equal((await call(server, "POST", "/oui/dispatch?waitMs=30001", { json: good, key: KEYS.agent })).status, 400);
  assert.equal((await call(server, "GET", "/oui/dispatch", { key: KEYS.agent })).status, 405);
});

test("who may call", async () => {
  for (const [key, action, status] of [
    [null, "service.get_limits", 401], ["t-nobody", "service.get_limits", 401], [KEYS.judge, "service.get_limits", 403],
    [KEYS.reader, "service.get_limits", 200], [KEYS.reader, "artifacts.create_link", 403], [KEYS.boss, "artifacts.create_link", 200],
  ]) {
    const answer = await send(server, action, action === "artifacts.create_link" ? { artifact: report() } : {}, { key });
    assert.equal(answer.status, status, `${key} ${action}: ${answer.text}`);
    if (status > 200) assert.equal(answer.body.ok, false);
  }
  assert.equal((await get("/oui/snapshot", null)).status, 401);
  assert.equal((await get("/oui/snapshot", KEYS.judge)).status, 403);
  assert.equal((await get("/oui/results/x", null)).status, 401);
  const answer = await server.request("GET", "/oui/snapshot", { headers: { Authorization: `Bearer ${KEYS.agent}`, Origin: "https://elsewhere.example" } });
  assert.equal(answer.status, 403);
});

test("unknown names are results that name what there is", async () => {
  assert.match((await fail(server, "nowhere.read", {}, "SURFACE_NOT_MOUNTED")).message, /"nowhere".*artifacts, service/);
  assert.match((await fail(server, "artifacts.destroy", {}, "ACTION_NOT_FOUND")).message, /"destroy"/);
  await fail(server, "oui.destroy", {}, "ACTION_NOT_FOUND");
});

test("params are checked before anything else is", async () => {
  const error = await fail(server, "artifacts.create_link", { artifact: report(), ttl_seconds: 5 }, "VALIDATION_ERROR");
  assert.deepEqual(error.details, { path: "/ttl_seconds", rule: "minimum" });
  assert.match(error.message, /"\/ttl_seconds" must be at least 60/);
  for (const params of [{}, { artifact: report(), payload: "pe30" }, { artifact: report(), envelope: { v: 1, artifacts: [{}] } }]) {
    assert.match((await fail(server, "artifacts.create_link", params, "VALIDATION_ERROR")).message, /exactly one/);
  }
  await fail(server, "artifacts.delete", { id: "x" }, "VALIDATION_ERROR");
  await fail(server, "artifacts.read", [], "VALIDATION_ERROR");
  await fail(server, "artifacts.create_link", { artifact: { kind: "markdown", content: "  " } }, "VALIDATION_ERROR");
  assert.ok(await link({ ttl_seconds: 60.0, max_views: 3e0 }));
});

test("a result leaves out the form the receiver holds", async () => {
  for (const [known, query, member, hash] of [
    [undefined, "", "index", INDEX.hash], [undefined, "?form=full", "surfaces", FULL.hash],
    [INDEX.hash, "", null, INDEX.hash], [FULL.hash, "", null, FULL.hash], [INDEX.hash, "?form=full", null, INDEX.hash],
    ["fnv1a64:0000000000000000", "", "index", INDEX.hash], ["", "", "index", INDEX.hash], [7, "", "index", INDEX.hash],
  ]) {
    const { body } = await send(server, "service.get_limits", {}, { query, more: { knownSurfaces: known } });
    assert.equal(body.surfacesHash, hash);
    assert.equal("index" in body, member === "index", String(known));
    assert.equal("surfaces" in body, member === "surfaces");
    assert.ok("observations" in body);
  }
});

/* ---- the actions ---- */

test("a link is made, read, listed, changed", async () => {
  const made = await link({ label: "of the week", ttl_seconds: 3600 });
  assert.equal(made.url, `${server.origin}/${made.id}`);
  assert.equal(made.raw_url, `${made.url}/raw`);
  assert.equal(made.markdown_link, `[Report](${made.url})`);
  assert.equal(made.expires_at - made.created_at, 3_600_000);
  assert.equal(await (await fetch(made.raw_url)).text(), report().content);

  const read = await act(server, "artifacts.read", { id: made.id });
  assert.equal(read.text, report().content);
  assert.equal(read.total, report().content.length);
  assert.equal(read.label, "of the week");
  assert.equal(read.kind, "markdown");
  assert.equal("next" in read, false);
  assert.deepEqual(read.artifacts.map(({ kind, title }) => ({ kind, title })), [{ kind: "markdown", title: "Report" }]);
  const short = made.short_url.split("/").at(-1);
  assert.equal((await act(server, "artifacts.read", { id: short })).id, made.id);
  const others = await act(server, "artifacts.read", { id: made.id, as: "record" }, { key: KEYS.other });
  assert.equal("label" in others || "text" in others || "payload" in others, false);
  const raw = await act(server, "artifacts.read", { id: made.id, as: "payload" });
  assert.deepEqual((await act(server, "artifacts.decode", { payload: raw.payload })).envelope.artifacts[0].content, report().content);

  const { links } = await act(server, "artifacts.list_links", { limit: 1 });
  assert.deepEqual(links.map(({ id, label, url }) => ({ id, label, url })), [{ id: made.id, label: "of the week", url: made.url }]);
  const changed = await act(server, "artifacts.update", { id: made.id, label: null, ttl_seconds: 7200 });
  assert.ok(changed.updated_at > made.created_at - 1 && changed.expires_at > made.expires_at);
  assert.equal((await act(server, "artifacts.read", { id: made.id, as: "record" })).label, null);
  await fail(server, "artifacts.update", { id: made.id }, "VALIDATION_ERROR");
  await fail(server, "artifacts.read", { id: UNKNOWN_ID }, "app:link_not_found");
  await fail(server, "artifacts.read", { id: made.id, artifact_id: "none" }, "NOT_FOUND");
});

test("a long text is read a page at a time", async () => {
  const content = "0123456789😀".repeat(500);
  const made = await link({ artifact: { kind: "markdown", content } });
  let text = "", offset = 0, pages = 0;
  do {
    const page = await act(server, "artifacts.read", { id: made.id, offset, limit: 1001 });
    assert.equal(page.total, content.length);
    assert.ok(page.text.length <= 1001 && page.text.isWellFormed());
    text += page.text;
    offset = page.next;
    pages++;
  } while (offset !== undefined);
  assert.equal(text, content);
  assert.equal(pages, 6);
  assert.equal((await act(server, "artifacts.read", { id: made.id, offset: 500_000 })).text, "");
});

test("pages of links", async () => {
  for (let i = 0; i < 5; i++) await link({ label: `p${i}` }, { key: KEYS.other });
  const labels = [];
  let after;
  do {
    const page = await act(server, "artifacts.list_links", { limit: 2, ...(after && { after }) }, { key: KEYS.other });
    labels.push(...page.links.map(({ label }) => label));
    after = page.next;
  } while (after);
  assert.deepEqual(labels.slice(0, 5), ["p4", "p3", "p2", "p1", "p0"]);
  for (const after of ["x", "1-", "-1", "1-zz"]) await fail(server, "artifacts.list_links", { after }, "VALIDATION_ERROR");
});

test("nobody touches another's link", async () => {
  const made = await link();
  const judge = async (action, params, key) => {
    const asked = await fail(server, action, params, "APPROVAL_REQUIRED", { key });
    await want(200, server, "POST", `/oui/approvals/${asked.details.approvalId}/decide`, { json: { decision: "approve" }, key: KEYS.judge });
    return { approvalId: asked.details.approvalId, argsHash: asked.details.argsHash };
  };
  await fail(server, "artifacts.update", { id: made.id, label: "mine" }, "app:link_not_found", { key: KEYS.other });
  await fail(server, "artifacts.update", { id: made.id, label: "mine", edit_key: "wrong" }, "app:link_not_found", { key: KEYS.other });
  await act(server, "artifacts.update", { id: made.id, label: "lent", edit_key: made.edit_key }, { key: KEYS.other });
  for (const [action, params] of [["artifacts.delete", { id: made.id }], ["artifacts.replace", { id: made.id, artifact: report("# Other\n") }]]) {
    const approval = await judge(action, params, KEYS.other);
    await fail(server, action, params, "app:link_not_found", { key: KEYS.other, more: { approval } });
  }
  assert.equal((await act(server, "artifacts.read", { id: made.id })).text, report().content);
  const approval = await judge("artifacts.delete", { id: made.id }, KEYS.boss);
  assert.deepEqual(await act(server, "artifacts.delete", { id: made.id }, { key: KEYS.boss, more: { approval } }), { id: made.id, deleted: true });
  await fail(server, "artifacts.read", { id: made.id }, "app:link_not_found");
});

test("limited views are used up by reading", async () => {
  const made = await link({ max_views: 2 });
  await act(server, "artifacts.read", { id: made.id, as: "record" });
  await act(server, "artifacts.read", { id: made.id });
  await act(server, "artifacts.read", { id: made.id, as: "payload" });
  await fail(server, "artifacts.read", { id: made.id }, "app:link_not_found");
});

test("the service tells of itself", async () => {
  await until(async () => (await act(server, "service.get_stats")).links > 5, "stats that count");
  const stats = await act(server, "service.get_stats");
  assert.deepEqual(Object.keys(stats), ["links", "expired", "bytes", "jobs"]);
  assert.ok(stats.bytes > 0);
  const { body } = await send(server, "oui.read", { surface: "service", observation: "stats" });
  assert.deepEqual(Object.keys(body.data.value), ["links", "expired", "bytes", "last_hour"]);
  assert.equal((await act(server, "service.get_limits")).ttl_seconds_max, 8760 * 3600);
});

test("a payload that cannot be decoded is the caller's fault", async () => {
  for (const [payload, code] of [["x1234", "VALIDATION_ERROR"], ["p!!!", "VALIDATION_ERROR"]]) {
    await fail(server, "artifacts.decode", { payload }, code);
  }
  await fail(server, "artifacts.decode", { payload: "pe30", asset_set: "0".repeat(16) }, "VALIDATION_ERROR");
});

/* ---- consent ---- */

test("what destroys waits for a person, and takes their consent once", async () => {
  const made = await link();
  const params = { id: made.id };
  const asked = await fail(server, "artifacts.delete", params, "APPROVAL_REQUIRED");
  assert.equal(asked.details.argsHash, digest(JSON.stringify(params)));
  assert.equal(asked.details.status, "pending");
  assert.equal((await fail(server, "artifacts.delete", params, "APPROVAL_REQUIRED")).details.approvalId, asked.details.approvalId);
  const approval = { approvalId: asked.details.approvalId, argsHash: asked.details.argsHash };
  await fail(server, "artifacts.delete", params, "APPROVAL_REQUIRED", { more: { approval } });
  await want(200, server, "POST", `/oui/approvals/${approval.approvalId}/decide`, { json: { decision: "approve" }, key: KEYS.judge });
  // other params, another action, another key, and shapes that are no approval: not with this one
  const other = await link();
  await fail(server, "artifacts.delete", { id: other.id }, "APPROVAL_REQUIRED", { more: { approval } });
  await fail(server, "artifacts.delete", params, "APPROVAL_REQUIRED", { more: { approval: { ...approval, argsHash: "0".repeat(64) } } });
  await fail(server, "artifacts.delete", params, "APPROVAL_REQUIRED", { key: KEYS.other, more: { approval } });
  await fail(server, "artifacts.delete", params, "APPROVAL_REQUIRED", { more: { approval: approval.approvalId } });
  // an invalid request never uses it up
  await fail(server, "artifacts.delete", { id: "x" }, "VALIDATION_ERROR", { more: { approval } });
  const id = randomUUID();
  assert.equal((await act(server, "artifacts.delete", params, { id, more: { approval } })).deleted, true);
  // the same request again is answered from memory, another one needs another consent
  assert.equal((await act(server, "artifacts.delete", params, { id })).deleted, true);
  await fail(server, "artifacts.delete", params, "APPROVAL_REQUIRED", { more: { approval } });
});

test("content is replaced, if nobody was faster", async () => {
  const made = await link();
  const consent = async (params) => {
    const { details } = await fail(server, "artifacts.replace", params, "APPROVAL_REQUIRED");
    await want(200, server, "POST", `/oui/approvals/${details.approvalId}/decide`, { json: { decision: "approve" }, key: KEYS.judge });
    return { more: { approval: { approvalId: details.approvalId, argsHash: details.argsHash } } };
  };
  const { updated_at } = await act(server, "artifacts.read", { id: made.id, as: "record" });
  const late = { id: made.id, artifact: report("# Late\n"), if_updated_at: updated_at - 1 };
  await fail(server, "artifacts.replace", late, "app:conflict", await consent(late));
  const now = { id: made.id, artifact: report("# Now\n"), if_updated_at: updated_at };
  const replaced = await act(server, "artifacts.replace", now, await consent(now));
  assert.ok(replaced.updated_at > updated_at);
  assert.equal((await act(server, "artifacts.read", { id: made.id })).text, "# Now\n");
});

test("expired links are removed up to a limit", async () => {
  const params = { expired_before: Date.now(), limit: 10 };
  const { details } = await fail(server, "artifacts.cleanup", params, "APPROVAL_REQUIRED");
  await want(200, server, "POST", `/oui/approvals/${details.approvalId}/decide`, { json: { decision: "approve" }, key: KEYS.judge });
  const more = { approval: { approvalId: details.approvalId, argsHash: details.argsHash } };
  assert.deepEqual(await act(server, "artifacts.cleanup", params, { more }), { removed: 0, more: false });
});

/* ---- repeats ---- */

test("a request id runs once", async () => {
  const id = randomUUID();
  const params = { artifact: report(), label: "once" };
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(server, "artifacts.create_link", params, { id })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1, "the same bytes for each");
  const { links } = await act(server, "artifacts.list_links", {});
  assert.equal(links.filter(({ label }) => label === "once").length, 1);
  // whatever else the repeat says: members that are no part of what is asked do not count
  const again = await send(server, "artifacts.create_link", { label: "once", artifact: report() }, { id, more: { timestamp: 1, turnId: "x" } });
  assert.equal(again.text, answers[0].text);
  assertError(await send(server, "artifacts.create_link", { ...params, label: "twice" }, { id }), 409, "The requestId was used for another request.", "request-id-used");
  assertError(await send(server, "service.get_stats", {}, { id }), 409, "The requestId was used for another request.", "request-id-used");
  // ids are each key's own
  assert.notEqual((await act(server, "artifacts.create_link", params, { id, key: KEYS.other })).id, answers[0].body.data.id);
  assert.equal((await get(`/oui/results/${id}`, KEYS.boss)).status, 404);
});

test("a request id runs once even if the server is killed", async () => {
  let own = await startKeyed();
  const id = randomUUID();
  const params = { artifact: report() };
  const first = await act(own, "artifacts.create_link", params, { id });
  await own.kill();
  own = await startKeyed({ folder: own.folder });
  assert.deepEqual(await act(own, "artifacts.create_link", params, { id }), first);
  assert.equal((await send(own, "artifacts.create_link", { artifact: report("# x\n") }, { id })).status, 409);
  await own.kill();
  own = await startKeyed({ folder: own.folder });
  const found = await get(`/oui/results/${id}`, KEYS.agent, own);
  assert.equal(found.status, 200);
  assert.deepEqual(found.body.data, first);
  assert.equal((await act(own, "artifacts.list_links", {})).links.length, 1);
  await own.stop();
});

/* ---- jobs ---- */

test("an encode answers twice", async () => {
  const id = randomUUID();
  const { status, body, headers } = await send(server, "artifacts.encode", { artifact: report(), label: "L" }, { id });
  assert.equal(status, 202, JSON.stringify(body));
  assert.deepEqual([body.success, body.interim, body.data], [true, true, { requestId: id, status: "queued" }]);
  assert.equal(headers["location"], `${server.origin}/oui/results/${id}?final=1`);
  assert.equal(body.surfacesHash, INDEX.hash);
  const final = await get(`/oui/results/${id}?final=1&waitMs=20000`);
  assert.equal(final.status, 200);
  assert.deepEqual([final.body.requestId, final.body.success, final.body.interim], [id, true, false]);
  assert.equal("index" in final.body, false);
  const { data } = final.body;
  assert.equal(data.url, `${server.origin}/#${data.payload}`);
  assert.equal(data.markdown_link, `[L](${data.url})`);
  assert.equal(data.chars, data.payload.length);
  assert.equal(data.fits, true);
  assert.equal((await act(server, "artifacts.decode", { payload: data.payload })).envelope.artifacts[0].content, report().content);
  // the first answer stays what it was, and the job is listed as done
  assert.deepEqual((await get(`/oui/results/${id}`)).body, body);
  const { body: read } = await send(server, "oui.read", { surface: "artifacts", observation: "encode_jobs" });
  assert.deepEqual(read.data.rows.find(({ requestId }) => requestId === id), { requestId: id, status: "done", progress: 100 });
});

test("an encode that cannot begin answers once", async () => {
  await fail(server, "artifacts.encode", { envelope: { v: 1, artifacts: [{}] } }, "VALIDATION_ERROR");
  await fail(server, "artifacts.encode", {}, "VALIDATION_ERROR");
});

test("an encode past its time ends with TIMEOUT, and a full pool says so", async () => {
  const own = await startKeyed({ args: ["--workers", "1", "--queue", "2", "--encode-deadline", "1000"] });
  const heavy = (i) => ({ artifact: { kind: "markdown", content: Array.from({ length: 22_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919 * (i + 1)) % 20_000))).join("") } });
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => send(own, "artifacts.encode", heavy(i))));
  const busy = answers.filter(({ status }) => status === 200);
  const accepted = answers.filter(({ status }) => status === 202);
  assert.ok(busy.length > 0 && accepted.length > 0);
  for (const { body } of busy) assert.deepEqual([body.error.code, body.error.details], ["app:busy", { retry_after_ms: 1000 }]);
  const codes = [];
  for (const { body } of accepted) {
    const final = await get(`/oui/results/${body.requestId}?final=1&waitMs=25000`, KEYS.agent, own);
    assert.equal(final.body.interim, false);
    codes.push(final.body.success ? "done" : final.body.error.code);
  }
  assert.ok(codes.every((code) => code === "done" || code === "TIMEOUT"), codes.join());
  await own.stop();
});

/* ---- results and acknowledgments ---- */

test("a client that does not wait asks later", async () => {
  const id = randomUUID();
  const answer = await send(server, "artifacts.create_link", { artifact: report("# Later\n".repeat(500)) }, { id, query: "?waitMs=0" });
  if (answer.status === 202) {
    assert.deepEqual(answer.body, { ok: true });
    assert.equal(answer.headers["location"], `${server.origin}/oui/results/${id}`);
  }
  const later = await get(`/oui/results/${id}?waitMs=20000`);
  assert.equal(later.status, 200);
  assert.equal(later.body.success, true);
  assert.equal((await get(`/oui/results/${randomUUID()}`)).status, 404);
  assert.equal((await get("/oui/results/x?final=2")).status, 400);
});

test("waiting for a final answer ends with 204 when the time is up", async () => {
  const own = await startKeyed({ args: ["--workers", "1"] });
  const heavy = { artifact: { kind: "markdown", content: Array.from({ length: 25_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join("") } };
  const ids = Array.from({ length: 4 }, () => randomUUID());
  for (const id of ids) assert.equal((await send(own, "artifacts.encode", heavy, { id })).status, 202);
  const none = await get(`/oui/results/${ids[3]}?final=1&waitMs=1`, KEYS.agent, own);
  assert.equal(none.status, 204);
  await until(async () => (await get(`/oui/results/${ids[3]}?final=1&waitMs=30000`, KEYS.agent, own)).status === 200, "the answer", 120_000);
  await own.stop();
});

test("a refused result comes again with less in it", async () => {
  const id = randomUUID();
  const first = (await send(server, "service.get_limits", {}, { id })).body;
  const ack = (json) => call(server, "POST", `/oui/results/${id}/ack`, { json, key: KEYS.agent });
  const omitted = [["index"], ["index", "observations"], ["index", "observations", "data"]];
  for (const [i, names] of omitted.entries()) {
    const { status, body } = await ack({ ok: false, ...(i === 1 ? { error: "too big" } : i === 2 ? {} : { reason: "why not" }) });
    assert.equal(status, 200);
    const { delivery, ...rest } = body;
    assert.deepEqual(delivery, { trimmed: true, reason: ["why not", "too big", "refused"][i], omitted: names });
    assert.deepEqual(rest, Object.fromEntries(Object.entries(first).filter(([name]) => !names.includes(name))));
  }
  assert.equal((await ack({ ok: false })).status, 204);
  assert.equal((await ack({ ok: true })).status, 204);
  for (const json of [{}, { ok: 1 }, [], "x"]) assert.equal((await ack(json)).status, 400);
  assert.equal((await call(server, "POST", `/oui/results/${randomUUID()}/ack`, { json: { ok: true }, key: KEYS.agent })).status, 404);
});

test("a caller that knows its cap is sent no more", async () => {
  for (const [max, names] of [[100_000, null], [5000, ["index"]], [600, ["index", "observations"]], [10, ["index", "observations", "data"]]]) {
    const { body } = await send(server, "artifacts.list_links", { limit: 1 }, { query: `?maxBytes=${max}` });
    if (names === null) assert.equal("delivery" in body, false);
    else assert.deepEqual(body.delivery, { trimmed: true, reason: `payload larger than ${max} bytes`, omitted: names });
  }
});

/* ---- surface oui ---- */

test("definitions and observations are read with the runtime's own actions", async () => {
  const described = await send(server, "oui.describe", { actions: [{ surface: "artifacts", action: "read" }, { surface: "x", action: "y" }] });
  assert.equal(described.status, 200);
  const { data, ...rest } = described.body;
  assert.deepEqual(Object.keys(rest), ["requestId", "success", "durationMs", "timestamp", "settled", "surfacesHash"]);
  assert.deepEqual(data.definitions, [{ surface: "artifacts", action: FULL.list[0].actions.find(({ id }) => id === "read") }]);
  assert.deepEqual(data.missing, [{ surface: "x", action: "y" }]);
  await fail(server, "oui.describe", {}, "INVALID_PARAMS");
  await fail(server, "oui.read", { surface: "service", observation: "nothing" }, "NOT_FOUND");
  await fail(server, "oui.read", { surface: "service", observation: "limits", path: "x" }, "INVALID_PARAMS");
  const { body } = await send(server, "oui.read", { surface: "service", observation: "limits", path: "/list_max" });
  assert.deepEqual(body.data, { value: 200 });
  await link({ label: "newest" });
  const links = await send(server, "oui.read", { surface: "artifacts", observation: "recent_links", limit: 1 });
  assert.equal(links.body.data.rows[0].label, "newest");
  assert.equal((await send(open, "oui.read", { surface: "artifacts", observation: "recent_links" }, { key: null })).body.error.code, "NOT_FOUND");
});
