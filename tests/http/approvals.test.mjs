/* Approvals over HTTP: who may ask, see and decide; the page a person decides on. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, UNKNOWN_ID, want } from "./calls.mjs";
import { replaceInNotes } from "./database.mjs";
import { ARXD, assertError, startServer, temporaryFolder, until } from "./harness.mjs";

const digest = (text) => createHash("sha256").update(text).digest("hex");
const TOKENS = { agent: "t-agent", other: "t-other", boss: "t-boss", judge: "t-judge" };
const FILE = [
  `agent create ${digest(TOKENS.agent)}`,
  `other create,read ${digest(TOKENS.other)}`,
  `boss admin ${digest(TOKENS.boss)}`,
  `judge approve ${digest(TOKENS.judge)}`,
];

let server, file;
before(async () => {
  const folder = temporaryFolder("approvals");
  file = path.join(folder, "tokens");
  fs.writeFileSync(file, FILE.join("\n"));
  server = await startServer({ folder, env: { ARXD_TOKENS_FILE: file } });
});
after(() => server.stop());

let number = 0;
/** Params of a deletion nobody has asked for yet. */
const fresh = () => ({ id: UNKNOWN_ID.slice(0, -4) + String(++number).padStart(4, "0") });
const asking = (params, actionId = "delete") => ({ surfaceId: "artifacts", actionId, params });
const ask = (params = fresh(), key = TOKENS.agent) => want(201, server, "POST", "/oui/approvals", { json: asking(params), key: key ?? undefined });
const look = (id, key, status = 200) => want(status, server, "GET", `/oui/approvals/${id}`, { key });
const decide = (id, decision, { key = TOKENS.judge, status = 200 } = {}) =>
  want(status, server, "POST", `/oui/approvals/${id}/decide`, { json: { decision }, key: key ?? undefined });

test("an agent asks, and the same call is asked for once", async () => {
  const params = fresh();
  const asked = await ask(params);
  assert.match(asked.approvalId, /^[\w-]{22}$/);
  assert.equal(asked.status, "pending");
  assert.equal(asked.decideUrl, `${server.origin}/oui/approvals/${asked.approvalId}/decide`);
  assert.equal(asked.argsHash, digest(JSON.stringify(params)));
  const minutes = (asked.expiresAt - Date.now()) / 60_000;
  assert.ok(minutes > 14 && minutes <= 15, String(minutes));
  assert.deepEqual(await ask(params), asked);
  assert.notEqual((await ask(params, TOKENS.other)).approvalId, asked.approvalId);
  assert.notEqual((await ask(fresh())).approvalId, asked.approvalId);
  // params absent are {}: here they lack what they must have
  for (const params of [undefined, null, {}, { id: "x" }, { id: UNKNOWN_ID, more: 1 }, [], "x"]) {
    const answer = await call(server, "POST", "/oui/approvals", { json: asking(params), key: TOKENS.agent });
    assert.equal(answer.status, 400, JSON.stringify(params));
    assert.equal(answer.body.code, "invalid-request");
  }
});

test("only what needs approval is asked for, and by no approver", async () => {
  for (const [json, says] of [
    [asking({ id: UNKNOWN_ID }, "read"), /needs no approval/],
    [asking({}, "destroy"), /must name an action/],
    [{ ...asking({}), surfaceId: "oui" }, /must name an action/],
    [{ actionId: "delete" }, /must name an action/],
  ]) {
    const answer = await call(server, "POST", "/oui/approvals", { json, key: TOKENS.agent });
    assert.equal(answer.status, 400);
    assert.match(answer.body.error, says);
  }
  for (const body of ["", "[]", "null", "{", '{"surfaceId":"artifacts","actionId":"delete","params":{"id":"\\ud800"}}'])
    assertError(await call(server, "POST", "/oui/approvals", { body, key: TOKENS.agent }), 400, "Invalid request body.", "invalid-body");
  const answer = await call(server, "POST", "/oui/approvals", { json: asking(fresh()), key: TOKENS.judge });
  assertError(answer, 403, "The token's scopes do not allow this.", "forbidden");
});

test("who asked sees how it stands, an approver sees what it is, nobody else sees anything", async () => {
  const params = fresh();
  const asked = await ask(params);
  const theirs = await look(asked.approvalId, TOKENS.agent);
  assert.deepEqual(theirs, { ...asked, surfaceId: "artifacts", actionId: "delete" });
  const judged = await look(asked.approvalId, TOKENS.judge);
  assert.deepEqual(judged, { ...theirs, title: "Delete a link", effect: "mutate", agent: "agent", params });
  for (const key of [TOKENS.other, TOKENS.boss, undefined, "nobody's"]) await look(asked.approvalId, key, 404);
  await look("unknown", TOKENS.judge, 404);
  const anonymous = await ask(fresh(), null);
  await look(anonymous.approvalId, undefined);
  await look(anonymous.approvalId, TOKENS.agent, 404);
});

test("an approver decides once; agents, admins and strangers do not", async () => {
  const asked = await ask();
  for (const [key, status] of [[TOKENS.agent, 403], [TOKENS.boss, 403], [null, 401], ["nobody's", 401]])
    await decide(asked.approvalId, "approve", { key, status });
  assert.equal((await look(asked.approvalId, TOKENS.agent)).status, "pending");
  for (const decision of ["", "Approve", undefined, 1])
    await decide(asked.approvalId, decision, { status: 400 });
  await decide("unknown", "approve", { status: 404 });
  const grant = await decide(asked.approvalId, "approve");
  assert.equal(grant.status, "approved");
  assert.equal(grant.argsHash, asked.argsHash);
  const minutes = (grant.expiresAt - Date.now()) / 60_000;
  assert.ok(minutes > 4 && minutes <= 5, String(minutes));
  assert.equal((await decide(asked.approvalId, "decline", { status: 409 })).code, "approval-decided");
  const declined = await ask();
  assert.equal((await decide(declined.approvalId, "decline")).status, "declined");
  assert.equal((await decide(declined.approvalId, "approve", { status: 409 })).code, "approval-decided");
  const late = await ask();
  replaceInNotes(server.db, 1, late.expiresAt, "1");
  assert.equal((await look(late.approvalId, TOKENS.agent)).status, "expired");
  assert.equal((await decide(late.approvalId, "approve", { status: 410 })).code, "approval-over");
});

test("a tool of the operator's grants by itself", async () => {
  const grant = { approvalId: "by-hand", argsHash: "0".repeat(64), expiresAt: Date.now() + 60_000, surfaceId: "artifacts", actionId: "delete" };
  const grants = (json, key = TOKENS.judge) => call(server, "POST", "/oui/grants", { json, key });
  for (const key of [TOKENS.agent, TOKENS.boss]) assert.equal((await grants(grant, key)).status, 403);
  const made = await grants(grant);
  assert.equal(made.status, 201);
  assert.equal(made.body.status, "approved");
  for (const [wrong, says] of [
    [{ approvalId: "" }, /approvalId/],
    [{ approvalId: 5 }, /approvalId/],
    [{ approvalId: "x".repeat(129) }, /approvalId/],
    [{ argsHash: "A".repeat(64) }, /argsHash/],
    [{ argsHash: "0".repeat(63) }, /argsHash/],
    [{ argsHash: "0".repeat(64) + "\n" }, /argsHash/],
    [{ expiresAt: "1" }, /expiresAt/],
    [{ expiresAt: undefined }, /expiresAt/],
    [{ expiresAt: 1e300 }, /expiresAt/],
    [{ actionId: "none" }, /name an action/],
  ]) {
    const answer = await grants({ ...grant, ...wrong });
    assert.equal(answer.status, 400, JSON.stringify(wrong));
    assert.match(answer.body.error, says);
  }
  assert.equal((await grants({ ...grant, expiresAt: 1 })).body.status, "approved"); // to be refused when used
  assert.equal((await look("by-hand", TOKENS.judge)).status, "expired");
});

test("at most twenty wait for one agent", async () => {
  const params = Array.from({ length: 25 }, fresh);
  const answers = [];
  for (const one of params)
    answers.push(await call(server, "POST", "/oui/approvals", { json: asking(one), key: TOKENS.other }));
  assert.ok(answers.filter(({ status }) => status === 201).length <= 20);
  assert.equal(answers[24].status, 400);
  assert.match(answers[24].body.error, /at most 20/);
});

/* ---- the page ---- */

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const page = (id, { method = "GET", form, cookie, headers = {} } = {}) =>
  call(server, method, `/oui/approvals/${id}/decide`, {
    body: form === undefined ? undefined : new URLSearchParams(form).toString(),
    headers: { ...(form === undefined ? {} : FORM), ...(cookie === undefined ? {} : { Cookie: cookie }), ...headers },
  });
async function signIn(id) {
  const answer = await page(id, { method: "POST", form: { token: TOKENS.judge } });
  assert.equal(answer.status, 303);
  assert.equal(new URL(answer.headers.location, `${server.origin}/oui/approvals/${id}/decide`).pathname, `/oui/approvals/${id}/decide`);
  const [line] = answer.headers["set-cookie"];
  assert.match(line, /; HttpOnly/);
  assert.match(line, /; SameSite=Lax/);
  return line.split(";")[0];
}
const csrfOf = (html) => html.match(/name="csrf" value="([0-9a-f]{64})"/)?.[1];

test("the page shows nothing before an approver has signed in", async () => {
  const { approvalId } = await ask();
  for (const cookie of [undefined, "arxd_approver=", `arxd_approver=${"A".repeat(22)}`, "other=1; arxd_approver=x"]) {
    const answer = await page(approvalId, { cookie });
    assert.equal(answer.status, 200);
    assert.match(answer.text, /type="password"/);
    assert.doesNotMatch(answer.text, /Delete a link|csrf/);
    assert.equal(answer.headers["x-frame-options"], "DENY");
    assert.match(answer.headers["content-security-policy"], /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    assert.match(answer.headers["cache-control"], /no-store/);
  }
  for (const token of ["", "nobody's", TOKENS.agent, TOKENS.boss]) {
    const answer = await page(approvalId, { method: "POST", form: { token } });
    assert.equal(answer.status, 403);
    assert.equal(answer.headers["set-cookie"], undefined);
  }
});

test("a person signs in, reads and decides", async () => {
  const params = fresh();
  const { approvalId } = await ask(params);
  const cookie = await signIn(approvalId);
  const shown = await page(approvalId, { cookie });
  assert.equal(shown.status, 200);
  for (const part of ["Delete a link", "artifacts.delete", "mutate", params.id, digest(JSON.stringify(params))])
    assert.ok(shown.text.includes(part), part);
  const csrf = csrfOf(shown.text);
  const decided = await page(approvalId, { method: "POST", form: { csrf, decision: "approve" }, cookie });
  assert.equal(decided.status, 303);
  assert.equal((await look(approvalId, TOKENS.agent)).status, "approved");
  const after = await page(approvalId, { cookie });
  assert.match(after.text, /Approved\. The agent may do this once/);
  assert.equal(csrfOf(after.text), undefined);
  // another decision changes nothing
  assert.equal((await page(approvalId, { method: "POST", form: { csrf, decision: "decline" }, cookie })).status, 303);
  assert.equal((await look(approvalId, TOKENS.agent)).status, "approved");
  assert.equal((await page("unknown", { cookie })).status, 404);
});

test("a form that is not the page's own decides nothing", async () => {
  const first = await ask();
  const second = await ask();
  const cookie = await signIn(first.approvalId);
  const others = await signIn(first.approvalId);
  const csrf = csrfOf((await page(first.approvalId, { cookie })).text);
  for (const form of [
    { decision: "approve" },
    { decision: "approve", csrf: "" },
    { decision: "approve", csrf: "0".repeat(64) },
    { decision: "approve", csrf: csrf.slice(1) },
    { decision: "approve", csrf: csrfOf((await page(first.approvalId, { cookie: others })).text) },
    { decision: "approve", csrf: csrfOf((await page(second.approvalId, { cookie })).text) },
  ])
    assert.equal((await page(first.approvalId, { method: "POST", form, cookie })).status, 403, JSON.stringify(form));
  const form = { decision: "approve", csrf };
  for (const headers of [{ Origin: "https://evil.example" }, { Origin: "null" }])
    assert.equal((await page(first.approvalId, { method: "POST", form, cookie, headers })).status, 403);
  // without the session it asks to sign in; without a decision there is nothing to do
  assert.match((await page(first.approvalId, { method: "POST", form })).text, /type="password"/);
  assert.equal((await page(first.approvalId, { method: "POST", form: { csrf }, cookie })).status, 400);
  assert.equal((await page(first.approvalId, { method: "POST", form: { csrf, decision: "x".repeat(5000) }, cookie })).status, 400);
  assert.equal((await look(first.approvalId, TOKENS.agent)).status, "pending");
  const own = { Origin: server.origin };
  assert.equal((await page(first.approvalId, { method: "POST", form, cookie, headers: own })).status, 303);
  assert.equal((await look(first.approvalId, TOKENS.agent)).status, "approved");
});

test("params are shown as text, whatever they hold", async () => {
  const content = `<script>alert(1)</script>"'&\u202Egnp.exe\u200B\u0000\nsecond line`;
  const params = { ...fresh(), artifact: { kind: "markdown", content, title: "</pre><img src=x onerror=alert(2)>" } };
  const { approvalId } = await want(201, server, "POST", "/oui/approvals", { json: asking(params, "replace"), key: TOKENS.agent });
  const { text } = await page(approvalId, { cookie: await signIn(approvalId) });
  assert.doesNotMatch(text, /<script|<img/);
  assert.ok(text.includes("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;<mark>U+202E</mark>gnp.exe<mark>U+200B</mark><mark>U+0000</mark>\nsecond line"));
  assert.ok(text.includes("&lt;/pre&gt;&lt;img src=x onerror=alert(2)&gt;"));
  assert.ok(text.includes('<th scope="row">artifact.content</th>'));
  assert.ok(!text.includes("\u202E"));
});

test("a token that is withdrawn ends its sessions", async () => {
  const { approvalId } = await ask();
  const cookie = await signIn(approvalId);
  assert.match((await page(approvalId, { cookie })).text, /Delete a link/);
  fs.writeFileSync(file, FILE.slice(0, 3).join("\n"));
  server.child.kill("SIGHUP");
  await until(async () => /type="password"/.test((await page(approvalId, { cookie })).text), "the token's end");
  fs.writeFileSync(file, FILE.join("\n"));
  server.child.kill("SIGHUP");
  await until(async () => /Delete a link/.test((await page(approvalId, { cookie })).text), "its return");
});

test("without a tokens file there is nobody who could decide", async () => {
  const own = await startServer();
  const answer = await call(own, "POST", "/oui/approvals", { json: asking(fresh()) });
  assert.equal(answer.status, 400);
  assert.match(answer.body.error, /nobody who could/);
  assert.equal((await call(own, "POST", "/oui/grants", { json: {} })).status, 401);
  await own.stop();
});

test("foreign pages and names are refused, and pages of this machine are named", async () => {
  const target = "/oui/approvals/unknown";
  for (const headers of [{ Origin: "https://evil.example" }, { Origin: "null" }, { Host: "evil.example" }])
    for (const method of ["GET", "OPTIONS"]) {
      const answer = await server.request(method, target, { headers, host: headers.Host === undefined });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.equal(JSON.parse(answer.text).code, "foreign-origin");
      assert.equal(answer.headers["access-control-allow-origin"], undefined);
    }
  const Origin = "http://localhost:6274";
  const answer = await call(server, "OPTIONS", target, { headers: { Origin } });
  assert.equal(answer.status, 204);
  assert.equal(answer.headers["access-control-allow-origin"], Origin);
  assert.equal(answer.headers.vary, "Origin");
  assert.equal((await call(server, "GET", target)).headers["oui-version"], "0.7.0");
});

test("who decided what stands in the log", async () => {
  const { spawn } = await import("node:child_process");
  const { freePort, cleanEnvironment } = await import("./harness.mjs");
  const folder = temporaryFolder("audit");
  const port = await freePort();
  const child = spawn(ARXD, ["--port", String(port), "--db", path.join(folder, "x.db"), "--tokens", file, "--log", "json:info"], { env: cleanEnvironment() });
  let log = "";
  child.stderr.on("data", (bytes) => (log += bytes));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const origin = `http://127.0.0.1:${port}`;
  const post = (target, json, key) =>
    fetch(origin + target, { method: "POST", body: JSON.stringify(json), headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } });
  await until(() => fetch(`${origin}/health`).then(({ ok }) => ok, () => false), "the server");
  const asked = await (await post("/oui/approvals", asking(fresh()), TOKENS.agent)).json();
  await post(`/oui/approvals/${asked.approvalId}/decide`, { decision: "approve" }, TOKENS.agent);
  await post(`/oui/approvals/${asked.approvalId}/decide`, { decision: "approve" }, TOKENS.judge);
  child.kill("SIGTERM");
  await ended;
  const acts = log.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter(({ act }) => act === "decide");
  assert.deepEqual(acts.map(({ actor, outcome }) => [actor, outcome]), [["agent", "refused"], ["judge", "approved"]]);
  for (const act of acts) assert.equal(act.id, asked.approvalId.slice(0, 6));
  for (const secret of [asked.approvalId, ...Object.values(TOKENS)]) assert.ok(!log.includes(secret));
});
