/* --quota: a database that is full says so, and takes links again once there is room. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { call, expire, note, want } from "./calls.mjs";
import { ARXD, assertError, run, startServer, temporaryFolder, until } from "./harness.mjs";

const FULL = "The server keeps as many links as its operator allows. Delete some, or try again when others have expired.";
const make = (server, json = { payload: "pe30" }) => call(server, "POST", "/api/artifacts", { json });

test("rows: no more than there may be; deleting, expiring and a restart count", async () => {
  let server = await startServer({ args: ["--quota", "rows=3"] });
  const made = [];
  for (let i = 0; i < 3; i++) made.push((await make(server)).body);
  const answers = [
    await make(server),
    await call(server, "POST", "/share", { body: "# x", headers: { Accept: "application/json" } }),
    await call(server, "POST", "/encode", { json: { envelope: note("x"), store: true } }),
  ];
  for (const answer of answers) assertError(answer, 507, FULL, "storage-full");
  await want(200, server, "GET", `/api/artifacts/${made[0].id}`);
  await want(200, server, "PUT", `/api/artifacts/${made[0].id}`, { json: { payload: "pe31" }, key: made[0].edit_key });
  await want(200, server, "POST", "/encode", { json: { envelope: note("x") } });

  await want(200, server, "DELETE", `/api/artifacts/${made[0].id}`, { key: made[0].edit_key });
  assert.equal((await make(server)).status, 201);
  assert.equal((await make(server)).status, 507);
  expire(server.db, made[1].id);
  await want(200, server, "POST", "/api/cleanup");
  assert.equal((await make(server)).status, 201);
  assert.equal((await make(server)).status, 507);
  assert.equal(run(ARXD, ["delete", made[2].id, "--db", server.db]).code, 0);
  await server.stop({ keep: true });

  server = await startServer({ folder: server.folder, args: ["--quota", "rows=3"] });
  assert.equal((await make(server)).status, 201);
  assert.equal((await make(server)).status, 507);
  await server.stop();
});

test("rows: many at once", async () => {
  const server = await startServer({ args: ["--quota", "rows=25"] });
  const statuses = await Promise.all(Array.from({ length: 60 }, () => make(server).then(({ status }) => status)));
  assert.equal(statuses.filter((status) => status === 201).length, 25);
  assert.equal(statuses.filter((status) => status === 507).length, 35);
  await server.stop();
});

test("bytes: of what the database takes; a larger payload is refused like a new link", async () => {
  const server = await startServer({ args: ["--quota", "bytes=400k"] });
  const payload = `p${"x".repeat(30_000)}`;
  const made = [];
  let answer;
  while ((answer = await make(server, { payload })).status === 201) made.push(answer.body);
  assertError(answer, 507, FULL, "storage-full");
  assert.ok(made.length >= 5 && made.length <= 12, `${made.length} of 30 KB`);
  const [first] = made;
  const put = (json) => call(server, "PUT", `/api/artifacts/${first.id}`, { json, key: first.edit_key });
  assert.equal((await put({ payload: payload.repeat(4) })).status, 507);
  assert.equal((await want(200, server, "GET", `/api/artifacts/${first.id}`)).payload, payload, "as it was");
  for (const { id, edit_key } of made.slice(0, 3)) await want(200, server, "DELETE", `/api/artifacts/${id}`, { key: edit_key });
  assert.equal((await make(server, { payload })).status, 201);
  await server.stop();
});

test("a token's own: rows and bytes in its line, read again on SIGHUP", async () => {
  const folder = temporaryFolder("quota");
  const file = path.join(folder, "tokens");
  const line = (name, limits = "") => `${name} create ${createHash("sha256").update(name).digest("hex")} ${limits}\n`;
  fs.writeFileSync(file, line("few", "rows=2,write=100/s") + line("small", "2999-01-01 bytes=1k") + line("free"));
  const server = await startServer({ folder, args: ["--tokens", file] });
  const by = (key, payload = "pe30") => call(server, "POST", "/api/artifacts", { json: { payload }, key });
  const TOKEN_FULL = "The token that makes this link has as much stored as it may have. Delete some of its links, or try again when others have expired.";
  const made = [(await by("few")).body, (await by("few")).body];
  assertError(await by("few"), 507, TOKEN_FULL, "token-full");
  assertError(await call(server, "POST", "/share", { body: "# x", key: "few", headers: { Accept: "application/json" } }), 507, TOKEN_FULL);
  assertError(await call(server, "POST", "/encode", { json: { envelope: note("x"), store: true }, key: "few" }), 507, TOKEN_FULL);
  assert.equal((await by("free")).status, 201);
  await want(200, server, "DELETE", `/api/artifacts/${made[0].id}`, { key: "few" });
  assert.equal((await by("few")).status, 201);

  const small = (await by("small", `p${"x".repeat(600)}`)).body;
  assertError(await by("small", `p${"x".repeat(600)}`), 507, TOKEN_FULL);
  // a link's quota is its maker's, whoever changes it
  assertError(await call(server, "PUT", `/api/artifacts/${small.id}`, { json: { payload: `p${"x".repeat(900)}` }, key: small.edit_key }), 507, TOKEN_FULL);
  assert.equal((await by("small", `p${"x".repeat(300)}`)).status, 201);

  fs.writeFileSync(file, line("few", "rows=3"));
  server.child.kill("SIGHUP");
  await until(async () => (await by("small")).status === 401, "the file to be read again");
  assert.equal((await by("few")).status, 201);
  assertError(await by("few"), 507, TOKEN_FULL);
  await server.stop();
});

test("bad lists: one line, exit 2", () => {
  for (const value of ["many", "rows", "rows=-1", "rows=1,read=1/s", "bytes=1x"]) {
    const { code, stderr } = run(ARXD, ["--quota", value, "--port", "0"]);
    assert.equal(code, 2, value);
    assert.ok(stderr.includes("--quota") && stderr.includes(value) && stderr.includes("rows=100000"), stderr);
  }
  const postgres = run(ARXD, ["--quota", "rows=3", "--db", "postgresql://127.0.0.1:1/none", "--port", "0"]);
  assert.equal(postgres.code, 2);
  assert.match(postgres.stderr, /--quota/);
  const folder = temporaryFolder("quota");
  fs.writeFileSync(path.join(folder, "tokens"), `a create ${"0".repeat(64)} rows=3\n`);
  const token = run(ARXD, ["--tokens", path.join(folder, "tokens"), "--db", "postgresql://127.0.0.1:1/none", "--port", "0"]);
  assert.equal(token.code, 2);
  assert.match(token.stderr, /tokens: token a has rows or bytes, which arxd limits in SQLite databases only/);
  fs.rmSync(folder, { recursive: true });
});
