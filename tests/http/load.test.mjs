/* More work than fits: the queue, the deadline, the limits on connections. */
import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import { sleep, startServer } from "./harness.mjs";

const report = (salt) => ({
  artifact: {
    kind: "markdown",
    content: Array.from({ length: 24_000 }, (_, i) => `w${(i * (7919 + salt)) % 9973}`).join(" "),
  },
});

test("a full queue: 503, busy, Retry-After", async () => {
  const server = await startServer({ args: ["--workers", "1", "--queue", "2"] });
  const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => server.post("/encode", report(i))));
  const done = answers.filter(({ status }) => status === 200);
  const busy = answers.filter(({ status }) => status === 503);
  assert.equal(done.length + busy.length, 16, answers.map(({ status }) => status).join(" "));
  assert.ok(done.length >= 1 && busy.length >= 1, `${done.length} done, ${busy.length} busy`);
  for (const answer of busy) {
    assert.equal(answer.body.code, "busy");
    assert.match(answer.headers.get("retry-after"), /^[1-9]\d*$/);
  }
  assert.equal((await server.post("/encode", report(0))).status, 200, "and afterwards it works again");
  await server.stop();
});

test("past the deadline: 504", async () => {
  const server = await startServer({ args: ["--workers", "1", "--encode-deadline", "100"] });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => server.post("/encode", report(i))));
  const late = answers.filter(({ status }) => status === 504);
  assert.ok(late.length >= 1, answers.map(({ status }) => status).join(" "));
  for (const { status } of answers) assert.ok([200, 504].includes(status), String(status));
  for (const { body } of late) assert.equal(typeof body.code, "string");
  await sleep(200);
  assert.equal((await server.request("GET", "/health")).status, 200);
  await server.stop();
});

test("reads go on while the workers are busy", async () => {
  const server = await startServer({ args: ["--workers", "1", "--threads", "1"] });
  const { id } = await server.create("pe30");
  let working = true;
  const encodes = Promise.all(Array.from({ length: 4 }, (_, i) => server.post("/encode", report(i)))).then(
    () => (working = false),
  );
  let reads = 0;
  while (working) {
    await server.getJson(`/api/artifacts/${id}`);
    reads++;
  }
  await encodes;
  assert.ok(reads > 20, `${reads} reads`);
  await server.stop();
});

test("connections over an address's limit are turned away, the others served", async () => {
  const server = await startServer({ args: ["--max-per-address", "8"] });
  const sockets = [];
  let refused = 0;
  for (let i = 0; i < 24; i++)
    await new Promise((resolve) => {
      const socket = net.connect(server.port, "127.0.0.1");
      sockets.push(socket);
      socket.once("connect", () => setTimeout(resolve, 10));
      const gone = () => (refused++, resolve());
      socket.once("close", gone);
      socket.on("error", () => {});
      socket.on("data", () => {});
    });
  await sleep(300);
  assert.ok(refused >= 24 - 10, `${refused} refused`);
  for (const socket of sockets) socket.destroy();
  await sleep(300);
  assert.equal((await server.request("GET", "/health")).status, 200);
  await server.stop();
});

test("thousands of writes at once are all answered", async () => {
  const server = await startServer();
  const ids = new Set();
  await Promise.all(
    Array.from({ length: 50 }, async (_, worker) => {
      for (let i = 0; i < 40; i++) ids.add((await server.create(`p${worker}-${i}`)).id);
    }),
  );
  assert.equal(ids.size, 2000);
  await server.stop();
});
