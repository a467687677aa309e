/* How arxd starts, and what survives when it is ended for it; stop.test.mjs is how it ends itself. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { checkDatabase, expire, lockDatabase, renameSets, sql } from "./database.mjs";
import { ARXD, freePort, run, sleep, startServer, temporaryFolder, until } from "./harness.mjs";

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
