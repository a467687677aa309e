/* How arxd starts, ends, and what survives when it is ended for it. */
import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";
import { checkDatabase, expire, lockDatabase, renameSets, sql } from "./database.mjs";
import { ARXD, freePort, IS_ASAN, run, sleep, startServer, temporaryFolder, until } from "./harness.mjs";

const REPORT = {
  artifact: {
    kind: "markdown",
    content: Array.from({ length: 24_000 }, (_, i) => `w${(i * 7919) % 9973}`).join(" "),
  },
};

test("SIGTERM when idle", async () => {
  const server = await startServer();
  await server.create("pe30");
  await server.stop();
});

test("SIGINT", async () => {
  const server = await startServer();
  server.child.kill("SIGINT");
  await server.waitForEnd();
  assert.deepEqual(server.how, { code: 0, signal: null });
  assert.equal(server.output, "");
});

test("SIGTERM with idle connections open", async () => {
  const server = await startServer();
  const sockets = await Promise.all(
    Array.from(
      { length: 10 },
      () => new Promise((resolve) => { const s = net.connect(server.port, "127.0.0.1", () => resolve(s)); s.on("error", () => {}); }),
    ),
  );
  sockets[0].write("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
  sockets[1].write("POST /api/artifacts HTTP/1.1\r\nHost: a\r\nContent-Le");
  await sleep(100);
  const started = Date.now();
  server.child.kill("SIGTERM");
  await server.waitForEnd();
  for (const socket of sockets) socket.destroy();
  assert.equal(server.how.signal, null);
  assert.ok([0, 1].includes(server.how.code), `exit ${server.how.code}`);
  assert.ok(Date.now() - started < 15_000);
  assert.ok(!fs.existsSync(`${server.db}-wal`));
});

test("SIGTERM during /encode: the answer is finished, exit 0", async () => {
  const server = await startServer({ args: ["--shutdown-grace", "60000"] });
  const answers = [server.post("/encode", REPORT), server.post("/encode", REPORT)];
  await sleep(60);
  server.child.kill("SIGTERM");
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  await server.waitForEnd();
  assert.deepEqual(server.how, { code: 0, signal: null });
  assert.equal(server.output, "");
  assert.ok(!fs.existsSync(`${server.db}-wal`));
});

test("SIGTERM during /encode with no time left: exit 0 or 1, never an abort", async () => {
  for (let round = 0; round < 3; round++) {
    const server = await startServer({ args: ["--shutdown-grace", "1", "--workers", "1"] });
    const answers = Array.from({ length: 6 }, () => server.post("/encode", REPORT).catch(() => null));
    await sleep(30 + round * 40);
    server.child.kill("SIGTERM");
    await server.waitForEnd();
    await Promise.all(answers);
    assert.equal(server.how.signal, null, server.output);
    assert.ok([0, 1].includes(server.how.code), `exit ${server.how.code}: ${server.output}`);
    assert.ok(!/ERROR: AddressSanitizer|runtime error|LeakSanitizer/.test(server.output), server.output);
    assert.ok(!fs.existsSync(`${server.db}-wal`));
  }
});

test("writes in flight at SIGTERM are answered truly", async () => {
  const server = await startServer();
  const made = [];
  const loops = Array.from({ length: 4 }, async () => {
    for (;;) {
      const answer = await server.post("/api/artifacts", { payload: "pe30" }).catch(() => null);
      if (answer?.status !== 201) return;
      made.push(answer.body.id);
    }
  });
  await sleep(250);
  server.child.kill("SIGTERM");
  await server.waitForEnd();
  await Promise.all(loops);
  assert.deepEqual(server.how, { code: 0, signal: null });
  assert.ok(!fs.existsSync(`${server.db}-wal`));
  const again = await startServer({ folder: server.folder });
  for (const id of made) await again.getJson(`/api/artifacts/${id}`);
  assert.ok(made.length > 0);
  await again.stop();
});

test("SIGKILL loses no row that was answered 201", async () => {
  const folder = temporaryFolder("kill");
  const kept = [];
  for (let round = 0; round < 5; round++) {
    const server = await startServer({ folder });
    for (const { id, payload } of kept)
      assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, payload, `row of round ${round}`);
    const before = kept.length;
    const loops = Array.from({ length: 8 }, async (_, worker) => {
      for (let i = 0; ; i++) {
        const payload = `p${round}-${worker}-${i}-${"x".repeat((i * 131) % 3000)}`;
        const answer = await server.post("/api/artifacts", { payload }).catch(() => null);
        if (answer?.status !== 201) return;
        kept.push({ id: answer.body.id, payload });
      }
    });
    await until(() => kept.length > before, "a first row");
    await sleep(200 + round * 61);
    await server.kill();
    await Promise.all(loops);
    checkDatabase(server.db);
  }
  const last = await startServer({ folder });
  for (const { id, payload } of kept)
    assert.equal((await last.getJson(`/api/artifacts/${id}`)).payload, payload);
  await last.stop();
});

test("a lock held by someone else is waited for, and reads go on", async () => {
  const server = await startServer();
  const { id } = await server.create("pe30");
  const unlock = await lockDatabase(server.db);
  let answered = false;
  const made = server.post("/api/artifacts", { payload: "pe31" }).finally(() => (answered = true));
  assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, "pe30");
  await sleep(500);
  assert.equal(answered, false, "the write waits");
  await unlock();
  assert.equal((await made).status, 201);
  await server.stop();
});

test("a lock held for too long: 503, busy, Retry-After", async () => {
  const server = await startServer();
  const { id } = await server.create("pe30");
  const unlock = await lockDatabase(server.db);
  const made = await server.post("/api/artifacts", { payload: "pe31" });
  assert.equal(made.status, 503, made.text);
  assert.match(made.headers.get("retry-after"), /^[1-9]\d*$/);
  assert.equal(typeof made.body.code, "string");
  assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, "pe30");
  await unlock();
  assert.equal((await server.post("/api/artifacts", { payload: "pe32" })).status, 201);
  server.child.kill("SIGTERM");
  await server.waitForEnd();
  assert.deepEqual(server.how, { code: 0, signal: null });
});

test("starts that cannot be: one line, exit 2", async () => {
  const folder = temporaryFolder("bad");
  const file = path.join(folder, "a-file");
  fs.writeFileSync(file, "not a database, but long enough to look at: ".repeat(200));
  const port = String(await freePort());
  const base = ["--host", "127.0.0.1", "--port", port];
  for (const [args, named] of [
    [[...base, "--db", path.join(file, "arxd.db")], file],
    [[...base, "--db", folder], folder],
    [[...base, "--db", file], file],
    [[...base, "--db", path.join(folder, "x.db"), "--assets", path.join(folder, "none")], "none"],
    [[...base, "--db", path.join(folder, "x.db"), "--assets", folder], folder],
  ]) {
    const { code, signal, stderr, stdout } = run(ARXD, [...args, "--log", "text:error"]);
    assert.equal(signal, null, stderr);
    assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
    assert.equal(stdout, "");
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
    assert.ok(stderr.includes(named), `${stderr} names ${named}`);
  }
  fs.rmSync(folder, { recursive: true });
});

test("a port that is taken: one line naming it, exit 2", async () => {
  const server = await startServer();
  const { code, stderr } = run(ARXD, [
    "--host", "127.0.0.1", "--port", String(server.port), "--db", path.join(server.folder, "other.db"), "--log", "text:error",
  ]);
  assert.equal(code, 2, stderr);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  assert.ok(stderr.includes(String(server.port)), stderr);
  await server.stop();
});

test("the parent folder of the database is made", async () => {
  const folder = temporaryFolder("parent");
  const nested = path.join(folder, "data");
  const server = await startServer({ folder, args: ["--db", path.join(nested, "arxd.db")] });
  assert.ok(fs.existsSync(path.join(nested, "arxd.db")));
  await server.stop();
});

test("expired rows are swept at the start", async () => {
  const server = await startServer();
  const gone = await server.create("pe30");
  const kept = await server.create("pe31");
  await server.stop({ keep: true });
  expire(server.db, gone.id);
  const again = await startServer({ folder: server.folder });
  assert.equal(sql(server.db, "SELECT count(*) FROM artifacts;"), "1");
  await again.getJson(`/api/artifacts/${kept.id}`);
  await again.stop();
});

test("a start that would orphan rows is refused", async () => {
  const server = await startServer();
  await server.create({ envelope: { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", content: "x" }] } });
  const { active } = await server.getJson("/assets/index.json");
  await server.stop({ keep: true });
  // as if the set had been one that is no longer loaded
  renameSets(server.db, "00000000deadbeef");
  const { code, stderr } = run(ARXD, [
    "--host", "127.0.0.1", "--port", String(await freePort()), "--db", server.db, "--log", "text:error",
  ]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /00000000deadbeef/);
  assert.match(stderr, /\b1\b/);
  renameSets(server.db, active);
  const again = await startServer({ folder: server.folder });
  await again.stop();
});

test("a thousand connections, one after the other and at once", { skip: IS_ASAN && "measured in release" }, async () => {
  const server = await startServer({ args: ["--max-per-address", "1024"] });
  const sockets = await Promise.all(
    Array.from({ length: 200 }, () => new Promise((resolve, reject) => {
      const socket = net.connect(server.port, "127.0.0.1", () => resolve(socket));
      socket.once("error", reject);
    })),
  );
  assert.equal((await server.request("GET", "/health")).status, 200);
  for (const socket of sockets) socket.destroy();
  for (let i = 0; i < 1000; i++) assert.equal((await server.request("GET", "/health")).status, 200);
  await server.stop();
});
