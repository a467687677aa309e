/* The command line: help, bad values, precedence; and README's table says the same as --help. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ARXD, freePort, ROOT, run, startServer, temporaryFolder } from "./harness.mjs";

/** [{ flag, variable }] of `arxd --help`. */
function helpTable() {
  const { code, stdout, stderr } = run(ARXD, ["--help"]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  const rows = [];
  for (const match of stdout.matchAll(/^ {2}--([a-z-]+)[^\n]*\n +\(([A-Z_]+)/gm))
    rows.push({ flag: match[1], variable: match[2] });
  return { rows, stdout };
}

test("--help lists every flag with its variable", () => {
  const { rows, stdout } = helpTable();
  assert.ok(rows.length >= 15, `${rows.length} settings`);
  for (const name of ["--healthcheck", "--version", "--help"]) assert.ok(stdout.includes(name), name);
  for (const line of stdout.split("\n")) assert.ok(line.length <= 120, line);
});

test("README's table of variables is --help's", () => {
  const readme = fs.readFileSync(path.join(ROOT, "README.md"), "utf8");
  const listed = [...readme.matchAll(/^\| `--([a-z-]+)` \| `([A-Z_]+)` \|/gm)].map(([, flag, variable]) => ({ flag, variable }));
  const byFlag = (a, b) => a.flag.localeCompare(b.flag);
  assert.deepEqual(listed.sort(byFlag), helpTable().rows.sort(byFlag));
});

test("--version", () => {
  const { code, stdout, stderr } = run(ARXD, ["--version"]);
  assert.equal(code, 0);
  assert.match(stdout, /^arxd \S+/);
  assert.equal(stderr, "");
});

const WRONG = [
  [["--port", "65536"], {}, "--port", "65536", "65535"],
  [["--port", "-1"], {}, "--port", "-1", "65535"],
  [["--port", "80x"], {}, "--port", "80x", "65535"],
  [["--port="], {}, "--port", "", ""],
  [["--port"], {}, "--port", "", ""],
  [[], { PORT: "http" }, "PORT", "http", "65535"],
  [[], { PORT: "99999999999999999999" }, "PORT", "99999999999999999999", "65535"],
  [["--host", "nowhere"], {}, "--host", "nowhere", ""],
  [["--host", "0.0.0.0"], {}, "--host", "0.0.0.0", "--open"],
  [["--host", "::"], {}, "--host", "::", "--open"],
  [[], { DB_PATH: "mysql://u:secret@x" }, "DB_PATH", "mysql://...", "postgresql://"],
  [["--ttl-hours", "0"], {}, "--ttl-hours", "0", "87600"],
  [[], { ARXD_TTL_HOURS: "87601" }, "ARXD_TTL_HOURS", "87601", "87600"],
  [["--ttl-hours", "30", "--max-ttl-hours", "20"], {}, "--ttl-hours", "30", "20"],
  [[], { ARXD_MAX_BODY: "65535" }, "ARXD_MAX_BODY", "65535", "65536"],
  [["--threads", "65"], {}, "--threads", "65", "64"],
  [["--workers", "0"], {}, "--workers", "0", "64"],
  [["--public-url", "ftp://x"], {}, "--public-url", "ftp://x", "http"],
  [["--public-url", "https://x/?a"], {}, "--public-url", "https://x/?a", ""],
  [["--log", "loud"], {}, "--log", "loud", "text"],
  [[], { ARXD_LOG: "json:loud" }, "ARXD_LOG", "json:loud", "debug"],
  [["--nonsense"], {}, "--nonsense", "--nonsense", "--help"],
  [["serve"], {}, "serve", "serve", ""],
];
for (const [args, env, name, value, allowed] of WRONG)
  test(`wrong: ${args.join(" ")}${Object.entries(env).map((pair) => pair.join("="))}`, () => {
    const { code, signal, stdout, stderr } = run(ARXD, args, { env, cwd: temporaryFolder("wrong") });
    assert.equal(signal, null);
    assert.equal(code, 2, stderr);
    assert.equal(stdout, "");
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    for (const part of [name, value, allowed]) assert.ok(stderr.includes(part), `${stderr} says ${part}`);
  });

test("a flag wins over its variable, that over the default", async () => {
  const server = await startServer({ env: { PORT: "1", ARXD_TTL_HOURS: "2" }, args: [] });
  const { id } = await server.create("pe30");
  assert.equal((await server.getJson(`/api/artifacts/${id}`)).ttl_seconds, 7200);
  await server.stop();
  const both = await startServer({ env: { ARXD_TTL_HOURS: "2" }, args: ["--ttl-hours=3"] });
  const made = await both.create("pe30");
  assert.equal((await both.getJson(`/api/artifacts/${made.id}`)).ttl_seconds, 3 * 3600);
  await both.stop();
});

test("--public-url is what links start with", async () => {
  const server = await startServer({ env: { ARXD_PUBLIC_URL: "https://links.example/base/" } });
  const made = await server.create("pe30");
  assert.equal(made.url, `https://links.example/base/${made.id}`);
  await server.stop();
});

test("--healthcheck", async () => {
  const server = await startServer();
  const well = run(ARXD, ["--healthcheck", "--port", String(server.port)]);
  assert.deepEqual([well.code, well.stderr], [0, ""]);
  await server.stop();
  const dead = run(ARXD, ["--healthcheck", "--port", String(await freePort())]);
  assert.equal(dead.code, 1);
});

test("the start says where it listens", async () => {
  const server = await startServer({ args: ["--log", "text:info"] });
  server.child.kill("SIGTERM");
  await server.waitForEnd();
  assert.equal(server.how.code, 0, server.output);
  const lines = server.output.trimEnd().split("\n");
  assert.ok(lines.some((line) => line.includes(server.origin)), server.output);
});

test("--log json writes JSON lines", async () => {
  const server = await startServer({ args: ["--log", "json:debug"] });
  await server.create("pe30-secret-payload");
  server.child.kill("SIGTERM");
  await server.waitForEnd();
  const lines = server.output.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.ok(lines.length > 0);
  for (const line of lines) assert.equal(typeof line.level, "string");
  assert.ok(!server.output.includes("secret-payload"), "payloads are never logged");
});
