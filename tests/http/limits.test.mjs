/* Who asks too often is told to wait, and nobody else notices: rates by address and token, debts of
 * worker time, wrong bearers, connections. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";
import { call, note, want } from "./calls.mjs";
import { ARXD, assertError, run, sleep, startServer, temporaryFolder, until } from "./harness.mjs";

const digest = (token) => createHash("sha256").update(token).digest("hex");

/** A server whose clients are whoever X-Forwarded-For says; `rows` are a tokens file's. */
async function limited(rate, rows, args = []) {
  const folder = temporaryFolder("limits");
  const more = [];
  if (rows) {
    fs.writeFileSync(path.join(folder, "tokens"), rows.map(([name, scopes, rest = ""]) => `${name} ${scopes} ${digest(name)} ${rest}\n`).join(""));
    more.push("--tokens", path.join(folder, "tokens"));
  }
  return startServer({ folder, args: ["--trust-proxy", "1", "--rate", rate, ...more, ...args] });
}
const from = (address, more = {}) => ({ headers: { "X-Forwarded-For": address, ...more } });

function assertLimited(answer) {
  assertError(answer, 429, "Too many requests. Try again later.", "rate-limited");
  const seconds = Number(answer.headers["retry-after"]);
  assert.ok(Number.isInteger(seconds) && seconds >= 1, answer.headers["retry-after"]);
  return seconds;
}

/** Calls until it is refused; how many went through. */
async function exhaust(server, method, target, options, most = 60) {
  for (let i = 0; i < most; i++) if ((await call(server, method, target, options)).status === 429) return i;
  throw new Error(`${most} went through`);
}

test("reads and writes are counted apart, each address for itself", async () => {
  const server = await limited("read=0.8/s,write=0.3/s,encode=0");
  const one = from("192.0.2.1");
  const write = { json: { payload: "pe30" }, ...one };
  assert.equal(await exhaust(server, "POST", "/api/artifacts", write), 3);
  const seconds = assertLimited(await call(server, "POST", "/api/artifacts", write));
  assert.ok(seconds <= 4, `${seconds} s until the next of 0.3 a second`);
  for (const [method, target] of [["PUT", "/api/artifacts/3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab"], ["DELETE", "/api/artifacts/3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab"], ["POST", "/share"], ["POST", "/api/cleanup"]])
    assertLimited(await call(server, method, target, { body: method === "DELETE" ? undefined : "x", ...one }));
  // what is not limited, and what draws elsewhere
  for (let i = 0; i < 20; i++) {
    await want(200, server, "GET", "/health", one);
    await want(204, server, "OPTIONS", "/api/artifacts", one);
  }
  assert.ok((await exhaust(server, "GET", "/llms.txt", one)) <= 9);
  const refused = await call(server, "GET", "/llms.txt", one);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers["content-type"], "text/plain; charset=utf-8");
  assert.equal((await call(server, "GET", "/no/such/path", one)).status, 429, "looking around counts too");
  // another address, another network
  await want(201, server, "POST", "/api/artifacts", { ...write, ...from("192.0.2.2") });
  await want(200, server, "GET", "/llms.txt", from("2001:db8::1"));
  await server.stop();
});

test("of IPv6 a whole /64 counts as one; entries that are no trusted proxy's are not looked at", async () => {
  const server = await limited("read=0.3/s");
  let through = 0;
  for (let i = 0; i < 12; i++)
    through += (await call(server, "GET", "/llms.txt", from(`${i}.1.1.1, 2001:db8:0:1:${i}::${i}`))).status === 200 ? 1 : 0;
  assert.equal(through, 3);
  await want(200, server, "GET", "/llms.txt", from("2001:db8:0:2::1"));
  await server.stop();
});

test("without a trusted proxy X-Forwarded-For changes nothing", async () => {
  const server = await startServer({ args: ["--rate", "write=0.3/s"] });
  let through = 0;
  for (let i = 0; i < 12; i++) through += (await call(server, "POST", "/api/cleanup", from(`192.0.2.${i}`))).status === 200 ? 1 : 0;
  assert.equal(through, 3);
  await server.stop();
});

test("it comes back with time", async () => {
  const server = await limited("write=1/s");
  const one = from("192.0.2.1");
  await exhaust(server, "POST", "/api/cleanup", one);
  await sleep(1000 * assertLimited(await call(server, "POST", "/api/cleanup", one)));
  await want(200, server, "POST", "/api/cleanup", one);
  await server.stop();
});

test("a token has buckets of its own, wherever it is used, with the rates of its line", async () => {
  const server = await limited("read=0,write=0.3/s,fail=0", [
    ["plain", "create"],
    ["busy", "create", "2999-01-01 write=1/s"],
    ["free", "create", "write=0"],
  ]);
  const make = (key, address) => call(server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key, ...from(address) });
  for (const [name, most] of [["plain", 3], ["busy", 10]]) {
    let through = 0;
    for (let i = 0; i < 25; i++) through += (await make(name, `192.0.2.${i}`)).status === 201 ? 1 : 0;
    assert.ok(through >= most && through <= most + 3, `${name}: ${through}`);
  }
  for (let i = 0; i < 25; i++) assert.equal((await make("free", "192.0.2.99")).status, 201);
  // an address at its end does not hold up a token that is used there
  await exhaust(server, "POST", "/api/cleanup", from("192.0.2.99"));
  assert.equal((await make("free", "192.0.2.99")).status, 201);
  await server.stop();
});

const heavy = (seed) => ({ artifact: { kind: "markdown", content: Array.from({ length: 9000 }, (_, i) => `w${((i + seed) * 7919) % 99_991}`).join(" ") } });

test("worker time is charged when it is known, also that of jobs nobody waits for", async () => {
  // ten seconds of it are 20 ms of work: any heavy encode takes more
  const server = await limited("encode=0.002/s");
  const one = from("192.0.2.1");
  for (const [address, json, status] of [["192.0.2.1", heavy(1), 200], ["192.0.2.2", { ...heavy(2), async: true }, 202]]) {
    const { job } = await want(status, server, "POST", "/encode", { json, ...from(address) });
    if (job) await until(async () => (await want(200, server, "GET", `/encode/jobs/${job}`, one)).status === "done", "the job");
    const seconds = assertLimited(await call(server, "POST", "/encode", { json: heavy(3), ...from(address) }));
    assert.ok(seconds > 10, `${seconds} s for what was used and the next deposit`);
    for (const target of ["/decode", "/share", "/api/artifacts"]) assertLimited(await call(server, "POST", target, { json: {}, ...from(address) }));
    await want(200, server, "GET", "/llms.txt", from(address));
  }
  await server.stop();
});

test("what came to no work is not charged", async () => {
  const server = await limited("encode=0.1/s");
  for (let i = 0; i < 20; i++) await want(400, server, "POST", "/encode", { body: "{", ...from("192.0.2.1") });
  await want(200, server, "POST", "/encode", { json: { envelope: note("x") }, ...from("192.0.2.1") });
  await server.stop();
});

test("encode with store draws a write", async () => {
  const server = await limited("write=0.3/s,encode=0");
  const one = from("192.0.2.1");
  const json = { envelope: note("x") };
  const made = await exhaust(server, "POST", "/encode", { json: { ...json, store: true }, ...one });
  assert.ok(made >= 3, `${made} links, then 429`); // 3, and what comes back while a slow machine makes them
  await want(200, server, "POST", "/encode", { json, ...one });
  await server.stop();
});

test("an address whose bearers keep failing is not listened to, the right one or not", async () => {
  const server = await limited("read=0,write=0,encode=0,fail=0.5/s", [["good", "create"]]);
  const make = (key, address) => call(server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key, ...from(address) });
  for (let i = 0; i < 5; i++) assert.equal((await make(`guess ${i}`.replace(" ", "-"), "192.0.2.1")).status, 401);
  assertLimited(await make("guess-6", "192.0.2.1"));
  assertLimited(await make("good", "192.0.2.1"));
  assert.equal((await make("good", "192.0.2.2")).status, 201, "from elsewhere it counts");
  await want(200, server, "GET", "/llms.txt", from("192.0.2.1"));
  assert.equal((await make(undefined, "192.0.2.1")).status, 401, "no bearer is no attempt");
  // wrong edit keys are attempts as well
  const { id } = (await make("good", "192.0.2.3")).body;
  const put = (key) => call(server, "PUT", `/api/artifacts/${id}`, { json: { payload: "pe31" }, key, ...from("192.0.2.4") });
  for (let i = 0; i < 5; i++) assert.equal((await put(`key-${i}`)).status, 401);
  assertLimited(await put("key-6"));
  await until(async () => (await make("good", "192.0.2.1")).status === 201, "the address to be heard again", 6000);
  await server.stop();
});

test("bad lists: one line, exit 2", () => {
  for (const [flag, value] of [["--rate", "read=1"], ["--rate", "fast"], ["--rate", "rows=1"]]) {
    const { code, stderr } = run(ARXD, [flag, value, "--port", "0"]);
    assert.equal(code, 2, value);
    assert.equal(stderr.trim().split("\n").length, 1);
    assert.ok(stderr.includes(flag) && stderr.includes(value) && stderr.includes("read=100/s"), stderr);
  }
});

/** Opens `count` connections; those that the server lets live answer a request. */
async function dial(server, count) {
  const sockets = Array.from({ length: count }, () => net.connect(server.port, "127.0.0.1"));
  const heard = await Promise.all(
    sockets.map((socket) => new Promise((resolve) => {
      socket.once("connect", () => socket.write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"));
      socket.once("data", () => resolve(true));
      socket.once("close", () => resolve(false));
      socket.once("error", () => resolve(false));
    })),
  );
  return { sockets, alive: heard.filter(Boolean).length };
}

test("connections of one address; behind a proxy they are the proxy's", async () => {
  const server = await startServer({ args: ["--max-per-address", "5"] });
  const first = await dial(server, 12);
  assert.ok(first.alive >= 4 && first.alive <= 8, `${first.alive} of 12`); // fetch may hold one, and a few come in at once
  first.sockets.forEach((socket) => socket.destroy());
  await until(async () => {
    const again = await dial(server, 4).catch(() => ({ alive: 0, sockets: [] }));
    again.sockets.forEach((socket) => socket.destroy());
    return again.alive === 4;
  }, "room for them again");
  await server.stop();

  const behind = await startServer({ args: ["--max-per-address", "5", "--trust-proxy", "1"] });
  const all = await dial(behind, 12);
  assert.equal(all.alive, 12);
  all.sockets.forEach((socket) => socket.destroy());
  await behind.stop();
});
