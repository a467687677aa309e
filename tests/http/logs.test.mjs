/* The log: request ids, who is written down, what never is; audit lines for what takes a privilege. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { call, note, UNKNOWN_ID, want } from "./calls.mjs";
import { startServer, temporaryFolder, until } from "./harness.mjs";

const digest = (token) => createHash("sha256").update(token).digest("hex");

/** A server that logs; its lines are taken with lines(). */
async function logging(form, { args = [], tokens } = {}) {
  const folder = temporaryFolder("logs");
  const more = [];
  if (tokens) {
    const file = path.join(folder, "tokens");
    fs.writeFileSync(file, tokens.map(([name, scopes, token]) => `${name} ${scopes} ${digest(token)}\n`).join(""));
    more.push("--tokens", file);
  }
  const server = await startServer({ folder, args: ["--log", form, ...more, ...args] });
  server.lines = async (count) => {
    await until(() => server.output.split("\n").length > count, `${count} lines`);
    return server.output.trim().split("\n");
  };
  server.end = async () => {
    server.output = "";
    server.child.kill("SIGTERM");
    await server.waitForEnd();
    assert.deepEqual(server.how, { code: 0, signal: null });
  };
  return server;
}

test("every answer has a request id: the one that came, or a new one", async () => {
  const server = await startServer();
  const id = (answer) => answer.headers["x-request-id"];
  for (const good of ["a", "A1._-z", "x".repeat(64)])
    assert.equal(id(await call(server, "GET", "/health", { headers: { "X-Request-Id": good } })), good);
  const made = new Set();
  for (const bad of [undefined, "", "a b", "é", "x".repeat(65), "a,b", 'a"b'])
    made.add(id(await call(server, "GET", "/", { headers: bad === undefined ? {} : { "X-Request-Id": bad } })));
  assert.equal(made.size, 7, "each is another");
  for (const one of made) assert.match(one, /^[0-9a-f]{16}$/);
  for (const [method, target] of [["GET", "/nope"], ["PATCH", "/api/artifacts"], ["FOO", "/"], ["GET", "/%00"], ["OPTIONS", "/encode"]])
    assert.match(id(await call(server, method, target)), /^[0-9a-f]{16}$/, `${method} ${target}`);
  const broken = await server.raw("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  assert.match(broken.text, /^HTTP\/1\.1 400 [^]*\r\nx-request-id: [0-9a-f]{16}\r\n/i);
  await server.stop();
});

test("a start is one line: where it listens, on which release of which database, with which set", async () => {
  const server = await logging("text:info");
  const { active } = await server.getJson("/assets/index.json");
  const [line, ...more] = await server.lines(1);
  assert.deepEqual(more, []);
  const [, place, database, set] = /^[0-9TZ:.-]+ info arxd \S+ listens on (\S+) \((.*), asset set ([0-9a-f]{16})\)$/.exec(line) ?? [];
  assert.equal(place, server.origin, line);
  assert.match(database, /^(SQLite 3\.\d+\.\d+|PostgreSQL \d+\.\d+.*)$/);
  assert.equal(set, active);
  await server.end();
});

for (const form of ["json", "text"])
  test(`a request's line, as ${form}: who, what, how long; no payload, key or whole id`, async () => {
    const server = await logging(`${form}:debug`, { args: ["--trust-proxy", "1"] });
    const secret = "xyzzy-content-that-nobody-may-see";
    const made = await want(201, server, "POST", "/api/artifacts", { json: { envelope: note(secret) } });
    const row = await want(200, server, "GET", `/api/artifacts/${made.id}`);
    await want(200, server, "GET", `/${made.short_url.split("/").at(-1)}`);
    await want(200, server, "GET", `/${made.id}/raw`);
    await want(404, server, "GET", `/${encodeURIComponent(row.payload)}`);
    await want(200, server, "DELETE", `/api/artifacts/${made.id}`, {
      key: made.edit_key,
      headers: { "X-Request-Id": "find-me", "X-Forwarded-For": "198.51.100.7, 203.0.113.9" },
    });
    await until(() => server.output.includes("find-me"), "the last line");
    for (const hidden of [secret, made.edit_key, made.id, made.id.slice(9), row.payload.slice(0, 24), made.short_url.split("/").at(-1)])
      assert.ok(!server.output.includes(hidden), hidden);
    const line = server.output.split("\n").find((text) => text.includes("find-me"));
    if (form === "json") {
      const { time, ms, ...rest } = JSON.parse(line);
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(typeof ms, "number");
      assert.deepEqual(rest, {
        level: "debug", method: "DELETE", route: "/api/artifacts/:id", status: 200,
        id: made.id.slice(0, 6), client: "203.0.113.9", request: "find-me",
      });
      for (const text of server.output.trim().split("\n")) JSON.parse(text);
    } else {
      assert.match(line, new RegExp(`^[0-9TZ:.-]+ debug DELETE /api/artifacts/:id 200 \\d+\\.\\d{3} ms id=${made.id.slice(0, 6)} client=203\\.0\\.113\\.9 request=find-me$`));
    }
    await server.end();
  });

test("what proxies say counts only as far as they are trusted", async () => {
  for (const [hops, forwarded, client] of [
    [0, "198.51.100.7", "127.0.0.1"],
    [1, "198.51.100.7, 203.0.113.9", "203.0.113.9"],
    [2, "198.51.100.7, 203.0.113.9", "198.51.100.7"],
    [1, "203.0.113.9, unknown", "127.0.0.1"],
    [1, "198.51.100.7, [2001:db8::9]:4711", "2001:db8::9"],
    [1, undefined, "127.0.0.1"],
  ]) {
    const server = await logging("json:debug", { args: ["--trust-proxy", String(hops)] });
    await want(200, server, "GET", "/llms.txt", { headers: { "X-Request-Id": "here", ...(forwarded && { "X-Forwarded-For": forwarded }) } });
    await until(() => server.output.includes('"here"'), "the line");
    const line = server.output.split("\n").find((text) => text.includes('"here"'));
    assert.equal(JSON.parse(line).client, client, `${hops} ${forwarded}`);
    await server.end();
  }
});

test("an audit line for each change that only admin scope allowed", async () => {
  const server = await logging("json:info", {
    tokens: [["ci", "create", "t-ci"], ["boss", "admin", "t-boss"], ["both", "admin,create", "t-both"]],
  });
  const audits = () => server.output.trim().split("\n").map((line) => JSON.parse(line)).filter((line) => line.event === "audit");
  const made = await want(201, server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key: "t-ci" });
  await want(200, server, "PUT", `/api/artifacts/${made.id}`, { json: { payload: "pe31" }, key: "t-ci" });
  await want(200, server, "PUT", `/api/artifacts/${made.id}`, { json: { payload: "pe32" }, key: made.edit_key });
  await want(201, server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key: "t-both" });
  await want(401, server, "DELETE", `/api/artifacts/${made.id}`, { key: "t-nobody" });
  await want(404, server, "DELETE", `/api/artifacts/${UNKNOWN_ID}`, { key: "t-boss" });
  assert.deepEqual(audits(), [], "none of these took the privilege");
  await want(201, server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key: "t-boss" });
  await want(200, server, "PUT", `/api/artifacts/${made.id}`, { json: { payload: "pe33" }, key: "t-both" });
  await want(400, server, "POST", "/api/artifacts", { json: {}, key: "t-boss" });
  await want(200, server, "DELETE", `/api/artifacts/${made.id}`, { key: "t-boss", headers: { "X-Request-Id": "gone" } });
  await until(() => server.output.includes('"gone"'), "the last audit line");
  const lines = audits().map(({ time, level, request, ...rest }) => rest);
  const line = { event: "audit", client: "127.0.0.1" };
  assert.deepEqual(lines, [
    { ...line, act: "make-link", method: "POST", actor: "boss", outcome: "201" },
    { ...line, act: "change-link", method: "PUT", actor: "both", id: made.id.slice(0, 6), outcome: "200" },
    { ...line, act: "make-link", method: "POST", actor: "boss", outcome: "400" },
    { ...line, act: "change-link", method: "DELETE", actor: "boss", id: made.id.slice(0, 6), outcome: "200" },
  ]);
  await server.end();
});
