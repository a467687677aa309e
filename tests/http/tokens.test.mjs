/* The tokens file: who may make links, whose they are then, and `arxd token`. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, note, want } from "./calls.mjs";
import { ARXD, assertError, freePort, run, startServer, temporaryFolder, until } from "./harness.mjs";

const digest = (token) => createHash("sha256").update(token).digest("hex");
const TOKENS = { maker: "t-maker", second: "t-second", reader: "t-reader", boss: "t-boss", late: "t-late", soon: "t-soon", judge: "t-judge" };
const FILE = [
  "# who may make links here",
  "",
  `maker create ${digest(TOKENS.maker)}`,
  `\tsecond  create,read\t${digest(TOKENS.second).toUpperCase()}  `,
  `reader read ${digest(TOKENS.reader)}\r`,
  `boss admin,create,read ${digest(TOKENS.boss)}`,
  `late create ${digest(TOKENS.late)} 2020-01-01`,
  `soon create ${digest(TOKENS.soon)} 2999-12-31T23:59:59Z`,
  `judge approve ${digest(TOKENS.judge)}`,
].join("\n");

let server, file;
before(async () => {
  const folder = temporaryFolder("tokens");
  file = path.join(folder, "tokens");
  fs.writeFileSync(file, FILE);
  server = await startServer({ folder, env: { ARXD_TOKENS_FILE: file } });
});
after(() => server.stop());

const MAKING = [
  ["/api/artifacts", { payload: "pe30" }, 201],
  ["/encode", { envelope: note("x"), store: true }, 200],
  ["/encode", { envelope: note("x"), store: true, async: true }, 202],
  ["/share", undefined, 201],
];
const make = (target, json, options) =>
  call(server, "POST", target, json === undefined ? { body: "# x\n", ...options } : { json, ...options });

test("making takes a token with create or admin", async () => {
  for (const [target, json, status] of MAKING) {
    for (const key of [TOKENS.maker, TOKENS.second, TOKENS.boss, TOKENS.soon])
      assert.equal((await make(target, json, { key })).status, status, `${target} ${key}`);
    for (const key of [undefined, "nobody's", TOKENS.late, digest(TOKENS.maker), `${TOKENS.maker}x`]) {
      const answer = await make(target, json, { key });
      assertError(answer, 401, "Unauthorized.", "unauthorized");
      assert.equal(answer.headers["www-authenticate"], "Bearer");
    }
    for (const key of [TOKENS.reader, TOKENS.judge]) {
      const answer = await make(target, json, { key });
      assertError(answer, 403, "The token's scopes do not allow this.", "forbidden");
      assert.match(answer.headers["www-authenticate"], /^Bearer error="insufficient_scope"/);
    }
  }
});

test("an edit key is no token", async () => {
  const made = await want(201, server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key: TOKENS.maker });
  assert.equal((await make("/api/artifacts", { payload: "pe31" }, { key: made.edit_key })).status, 401);
});

test("everything else stays open", async () => {
  const { id } = await want(201, server, "POST", "/api/artifacts", { json: { envelope: note("x") }, key: TOKENS.maker });
  for (const target of [`/api/artifacts/${id}`, `/${id}`, `/${id}/raw`, "/", "/health", "/assets/index.json"])
    await want(200, server, "GET", target);
  await want(200, server, "POST", "/encode", { json: { envelope: note("x") } });
  await want(202, server, "POST", "/encode", { json: { envelope: note("x"), async: true } });
  await want(200, server, "POST", "/decode", { json: { fragment: (await server.getJson(`/api/artifacts/${id}`)).payload } });
  await want(200, server, "POST", "/api/cleanup");
});

test("a link can be changed by its maker's token, an admin's, its edit key, and by no other", async () => {
  const put = (id, key) => call(server, "PUT", `/api/artifacts/${id}`, { json: { payload: "pe31" }, key });
  for (const [target, json] of MAKING.filter(([, , status]) => status !== 202)) {
    const answer = await make(target, json, { key: TOKENS.maker, headers: { Accept: "application/json" } });
    const { id, edit_key } = answer.body.artifact ?? answer.body;
    for (const key of [TOKENS.maker, TOKENS.boss, edit_key]) assert.equal((await put(id, key)).status, 200, `${target} ${key}`);
    for (const key of [undefined, TOKENS.second, TOKENS.reader, TOKENS.judge, TOKENS.late, "nobody's"])
      assertError(await put(id, key), 401, "Unauthorized.");
    assert.equal((await call(server, "DELETE", `/api/artifacts/${id}`, { key: TOKENS.second })).status, 401);
    assert.equal((await call(server, "DELETE", `/api/artifacts/${id}`, { key: TOKENS.maker })).status, 200);
  }
});

test("SIGHUP reads the file again", async () => {
  const token = "t-new";
  const status = async (key) => (await make("/api/artifacts", { payload: "pe30" }, { key })).status;
  assert.equal(await status(token), 401);
  const { id } = await want(201, server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key: TOKENS.maker });
  fs.writeFileSync(file, `new create ${digest(token)}\n`);
  assert.equal(await status(token), 401, "not before it is told");
  server.child.kill("SIGHUP");
  await until(async () => (await status(token)) === 201, "the new token to count");
  assert.equal(await status(TOKENS.maker), 401, "the old one does no longer");
  assert.equal((await call(server, "DELETE", `/api/artifacts/${id}`, { key: TOKENS.maker })).status, 401);
  fs.writeFileSync(file, FILE);
  server.child.kill("SIGHUP");
  await until(async () => (await status(TOKENS.maker)) === 201, "the old ones to be back");
});

test("SIGHUP with a file that is wrong changes nothing, and says so", async () => {
  const folder = temporaryFolder("tokens");
  const name = path.join(folder, "tokens");
  fs.writeFileSync(name, FILE);
  const other = await startServer({ folder, args: ["--tokens", name] });
  fs.writeFileSync(name, `${FILE}\nbroken line\n`);
  other.child.kill("SIGHUP");
  await until(() => other.output.includes("\n"), "a line in the log");
  assert.ok(other.output.includes(name) && /line 10\b/.test(other.output), other.output);
  assert.equal((await call(other, "POST", "/api/artifacts", { json: { payload: "a" }, key: TOKENS.maker })).status, 201);
  fs.rmSync(name);
  other.child.kill("SIGHUP");
  await until(() => other.output.split("\n").length > 2, "a second line");
  assert.equal((await call(other, "POST", "/api/artifacts", { json: { payload: "a" }, key: TOKENS.maker })).status, 201);
  other.output = "";
  await other.stop();
});

test("SIGHUP without a tokens file does nothing", async () => {
  const other = await startServer();
  other.child.kill("SIGHUP");
  await other.create("pe30");
  await other.stop();
});

test("files that are wrong: one line naming file and line, exit 2", async () => {
  const folder = temporaryFolder("tokens");
  const name = path.join(folder, "tokens");
  const good = `a create ${digest("x")}\n`;
  for (const [text, line] of [
    [`${good}b\n`, 2],
    [`${good}b create\n`, 2],
    ["a create abc\n", 1],
    [`a write ${digest("x")}\n`, 1],
    [`a create, ${digest("x")}\n`, 1],
    [`a create,create ${digest("x")}\n`, 1],
    [`a create,approve ${digest("x")}\n`, 1],
    [`a/b create ${digest("x")}\n`, 1],
    [`${"a".repeat(65)} create ${digest("x")}\n`, 1],
    [`a create ${digest("x")} tomorrow\n`, 1],
    [`a create ${digest("x")} 2026-02-30\n`, 1],
    [`a create ${digest("x")} 2026-01-01 more\n`, 1],
    [`${good}a read ${digest("y")}\n`, 2],
    [`${good}b read ${digest("x")}\n`, 2],
    [`# comment\n\na create ${digest("x").slice(1)}g\n`, 3],
  ]) {
    fs.writeFileSync(name, text);
    const { code, stderr } = run(ARXD, ["--tokens", name, "--db", path.join(folder, "x.db"), "--port", "0"]);
    assert.equal(code, 2, text);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
    assert.ok(stderr.includes(`${name} line ${line}: `), `${text}: ${stderr}`);
  }
  const missing = run(ARXD, ["--tokens", path.join(folder, "none"), "--db", path.join(folder, "x.db"), "--port", "0"]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /none/);
  fs.rmSync(folder, { recursive: true });
});

test("beyond loopback a tokens file is enough, or --open", async () => {
  const folder = temporaryFolder("tokens");
  const name = path.join(folder, "tokens");
  fs.writeFileSync(name, FILE);
  const port = await freePort();
  const bare = run(ARXD, ["--host", "0.0.0.0", "--port", String(port), "--db", path.join(folder, "x.db")]);
  assert.equal(bare.code, 2);
  assert.match(bare.stderr, /--tokens/);
  for (const [args, warned] of [[["--host", "0.0.0.0", "--tokens", name], false], [["--host", "0.0.0.0", "--open"], true], [["--open"], false]]) {
    const other = await startServer({ args: [...args, "--log", "text:warn"] });
    const warning = / warn everybody who reaches it can create links \(--open\)/;
    assert.equal((await other.request("GET", "/health")).status, 200);
    if (warned) await until(() => warning.test(other.output), "the warning");
    assert.equal(warning.test(other.output), warned, args.join(" "));
    other.output = "";
    await other.stop();
  }
  fs.rmSync(folder, { recursive: true });
});

test("arxd token prints a token and its line", async () => {
  for (const [operands, line] of [
    [["ci", "create"], /^ci create ([0-9a-f]{64})$/],
    [["ci.robot-2", "read,create"], /^ci\.robot-2 read,create ([0-9a-f]{64})$/],
    [["person", "approve"], /^person approve ([0-9a-f]{64})$/],
    [["guest", "create", "2030-06-30"], /^guest create ([0-9a-f]{64}) 2030-06-30$/],
  ]) {
    const made = run(ARXD, ["token", ...operands]);
    assert.equal(made.code, 0, made.stderr);
    assert.equal(made.stderr, "");
    const [token, row, ...rest] = made.stdout.split("\n");
    assert.deepEqual(rest, [""]);
    assert.match(token, /^[A-Za-z0-9_-]{40,}$/);
    assert.equal(line.exec(row)?.[1], digest(token), row);
    assert.notEqual(run(ARXD, ["token", ...operands]).stdout.split("\n")[0], token);
  }
  for (const operands of [[], ["a"], ["a b", "create"], ["a", "nothing"], ["a", "approve,admin"], ["a", "create", "never"], ["a", "create", "2030-01-01", "x"]]) {
    const { code, stdout, stderr } = run(ARXD, ["token", ...operands]);
    assert.equal(code, 2, operands.join(" "));
    assert.equal(stdout, "");
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
});

test("what arxd token prints works", async () => {
  const [token, row] = run(ARXD, ["token", "fresh", "create"]).stdout.split("\n");
  fs.writeFileSync(file, `${FILE}\n${row}\n`);
  server.child.kill("SIGHUP");
  await until(async () => (await make("/api/artifacts", { payload: "a" }, { key: token })).status === 201, "the token to count");
});
