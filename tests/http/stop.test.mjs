/*
 * SIGTERM, whatever requests are doing then. What has sent its head is in flight and gets its answer,
 * exit 0; what is not answered within the grace is let go, exit 1; nothing else is waited for. Each
 * test sees the state it is about in /metrics, or in what has been answered, before it sends the signal.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { after, describe, test } from "node:test";
import { lockDatabase } from "./database.mjs";
import { ARXD, freePort, IS_SANITIZED, sleep, startServer, temporaryFolder, until } from "./harness.mjs";

/** What keeps a worker busy for longer than it takes to look at a gauge. */
const WORDS = IS_SANITIZED ? 2000 : 10_000;
const REPORT = {
  artifact: { kind: "markdown", content: Array.from({ length: WORDS }, (_, i) => `w${(i * 7919) % 9973}`).join(" ") },
};
const LONG = "60000"; // more than anything here takes
const CREATE = JSON.stringify({ payload: "pe30" });
const CREATE_HEAD = `POST /api/artifacts HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${CREATE.length}\r\n\r\n`;

/** A server with that grace whose gauges can be read. */
async function start(grace, { args = [], ...more } = {}) {
  const port = await freePort();
  const server = await startServer({ args: ["--shutdown-grace", grace, "--metrics-listen", `127.0.0.1:${port}`, ...args], ...more });
  server.gauge = async (name) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(text.split("\n").find((line) => line.startsWith(`${name} `)).slice(name.length));
  };
  return server;
}

const sockets = [];
after(() => sockets.forEach((socket) => socket.destroy())); // of tests that failed

/** A connection that collects what it is told. */
function dial(server) {
  const socket = net.connect(server.port, "127.0.0.1");
  sockets.push(socket);
  socket.heard = "";
  socket.on("data", (piece) => (socket.heard += piece));
  socket.on("error", () => {});
  socket.gone = once(socket, "close");
  socket.says = (text) => until(() => socket.heard.includes(text), JSON.stringify(text));
  return socket;
}

/** More encodes than the one worker has begun; gives their answers to come. */
async function encodeMany(server) {
  const answers = Array.from({ length: 4 }, () => server.post("/encode", REPORT).catch(() => null));
  await until(async () => (await server.gauge('arxd_jobs{state="queued"}')) >= 2, "encodes to be queued");
  assert.equal(await server.gauge('arxd_jobs{state="running"}'), 1);
  return answers;
}

/** POSTs until some wait behind the one that the database's writer is at. */
async function createMany(server) {
  const answers = [];
  await until(async () => {
    answers.push(server.post("/api/artifacts", CREATE).catch(() => null));
    await sleep(10);
    return (await server.gauge("arxd_store_queue")) >= 1;
  }, "writes to wait");
  return answers;
}

// Some wait for a lock, some work: side by side.
describe("SIGTERM", { concurrency: 3 }, () => {
  test("a thousand idle connections and a listener: others are served, and nobody is waited for", async () => {
    // a soft limit that they do not fit into: arxd raises it
    const folder = temporaryFolder("files");
    const program = path.join(folder, "few-files");
    fs.writeFileSync(program, `#!/bin/sh\nulimit -Sn 256\nexec '${ARXD}' "$@"\n`, { mode: 0o755 });
    const server = await start(LONG, { args: ["--max-per-address", "0"], folder, program });
    const listener = dial(server);
    listener.write("GET /oui/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await listener.says("HTTP/1.1 200 ");
    const idle = Array.from({ length: 1000 }, () => dial(server));
    const used = idle.filter((_, i) => i % 2 === 0); // between two requests; the others have said nothing
    for (const socket of used) socket.write("GET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(async () => (await server.gauge("arxd_http_connections")) > 1000, "a thousand connections");
    const { id } = await server.create("pe30");
    for (let i = 0; i < 100; i++) await server.getJson(`/api/artifacts/${id}`);
    assert.equal((await server.post("/encode", { artifact: { kind: "markdown", content: "# Hi\n" } })).status, 200);
    for (const socket of used) await socket.says("HTTP/1.1 200 ");
    assert.equal(idle.filter((socket) => socket.destroyed || socket.readableEnded).length, 0, "they are still there");
    await server.stop();
    await Promise.all(idle.map((socket) => socket.gone));
    await listener.gone;
  });

  test("a connection with half a head is not waited for", async () => {
    const server = await start(LONG);
    const socket = dial(server);
    socket.write("GET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\nPOST /api/artifacts HTTP/1.1\r\nHost: a\r\nContent-Le");
    await socket.says("HTTP/1.1 200 ");
    await server.stop();
    await socket.gone;
  });

  test("half a body: the rest is read and answered", async () => {
    const server = await start(LONG);
    const socket = dial(server);
    socket.write(CREATE_HEAD);
    await socket.says("100 Continue");
    socket.write(CREATE.slice(0, 5));
    server.child.kill("SIGTERM");
    // whoever comes now is turned away: so it has begun to stop
    await until(() => server.fetch("/health", { headers: { Connection: "close" } }).then(() => false, () => true), "new connections to be refused");
    socket.write(CREATE.slice(5));
    await socket.says("HTTP/1.1 201 ");
    await server.stop();
    await socket.gone;
  });

  test("half a body and no rest: exit 1", async () => {
    const server = await start("50");
    const socket = dial(server);
    socket.write(CREATE_HEAD);
    await socket.says("100 Continue");
    socket.write(CREATE.slice(0, 5));
    await server.stop({ code: 1 });
    await socket.gone;
  });

  test("encodes that run and that are queued are finished, those of no connection too", async () => {
    const server = await start(LONG, { args: ["--workers", "1"] });
    const answers = await encodeMany(server);
    assert.equal((await server.post("/encode", { ...REPORT, async: true })).status, 202);
    await server.stop();
    for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
  });

  test("encodes that run and that are queued, and no time: stated or cut off, exit 1", async () => {
    const server = await start("1", { args: ["--workers", "1"] });
    const answers = await encodeMany(server);
    assert.equal((await server.post("/encode", { ...REPORT, async: true })).status, 202);
    await server.stop({ code: 1 });
    const got = (await Promise.all(answers)).filter((answer) => answer !== null && answer.status !== 200);
    for (const { status, body } of got) assert.deepEqual([status, body.code], [503, "stopping"]);
  });

  test("writes that wait for a lock are written once it is free", async () => {
    const server = await start(LONG);
    const unlock = await lockDatabase(server.db);
    const answers = await createMany(server);
    server.child.kill("SIGTERM");
    await until(() => server.fetch("/health", { headers: { Connection: "close" } }).then(() => false, () => true), "new connections to be refused");
    await unlock();
    await server.stop({ keep: true });
    const made = await Promise.all(answers);
    for (const { status, text } of made) assert.equal(status, 201, text);
    const again = await startServer({ folder: server.folder, db: server.db });
    for (const { body } of made) await again.getJson(`/api/artifacts/${body.id}`);
    await again.stop();
  });

  test("writes that wait for a lock nobody frees: none is answered 201, exit 1", async () => {
    const server = await start("1");
    const unlock = await lockDatabase(server.db);
    const answers = await createMany(server);
    server.child.kill("SIGTERM");
    await server.waitForEnd();
    await unlock();
    assert.deepEqual(server.how, { code: 1, signal: null }, server.output);
    for (const answer of await Promise.all(answers)) if (answer) assert.equal(answer.status, 503, answer.text);
  });

  test("clients that go on creating all the while: what was answered 201 is there", async () => {
    const server = await start(LONG);
    const made = [];
    const loops = Array.from({ length: 4 }, async () => {
      for (;;) {
        const answer = await server.post("/api/artifacts", CREATE).catch(() => null);
        if (answer?.status !== 201) return;
        made.push(answer.body.id);
      }
    });
    await until(() => made.length >= 50, "fifty links");
    await server.stop({ keep: true });
    await Promise.all(loops);
    const again = await startServer({ folder: server.folder, db: server.db });
    for (const id of made) await again.getJson(`/api/artifacts/${id}`);
    await again.stop();
  });

  test("SIGINT", async () => {
    const server = await startServer();
    server.child.kill("SIGINT");
    await server.waitForEnd();
    assert.deepEqual(server.how, { code: 0, signal: null });
    await server.stop(); // nothing said, nothing left
  });
});
