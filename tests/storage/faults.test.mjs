/*
 * The database fails while arxd runs: the stated error is answered, reading goes on where it can,
 * arxd lives, later requests work, and what was answered 201 is there in the end.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { assertError, run, sleep, startServer, temporaryFolder, until } from "../http/harness.mjs";
import { assertIntact, makeDisk, payloadOf } from "./disk.mjs";

const OPEN = { args: ["--open-writes"], env: { ARXD_RATE: "read=0,write=0" } };
const NOT_STORED = [500, "Failed to store artifact.", "store-failed"];

/** SQL from another process, which never checkpoints. */
function sql(db, statement) {
  const input = `.timeout 5000\n.dbconfig no_ckpt_on_close on\nPRAGMA wal_autocheckpoint=0;\n${statement}\n`;
  const { code, stderr } = run("sqlite3", ["-batch", db], { input });
  assert.equal(code, 0, stderr);
}

async function health(server) {
  const response = await server.fetch("/health");
  await response.arrayBuffer();
  return response.status;
}

const put = (server, id, payload) =>
  server.request("PUT", `/api/artifacts/${id}`, { headers: { "Content-Length": Buffer.byteLength(JSON.stringify({ payload })) }, body: JSON.stringify({ payload }) });

/** What arxd said: lines that match, and nothing else. */
function said(server, pattern) {
  const lines = server.output.trimEnd().split("\n").filter(Boolean);
  assert.ok(lines.length > 0, "a failure is reported");
  for (const line of lines) assert.match(line, pattern);
  assert.ok(lines.length <= 4, `reported once a minute and kind, not for each request:\n${server.output}`);
  server.output = "";
}

const FAULTS = {
  ENOSPC: /disk is full|disk I\/O error/, // the log's own file may say it either way
  EROFS: /readonly|disk I\/O error|writable/,
  EIO: /disk I\/O error/,
};

for (const [fault, words] of Object.entries(FAULTS))
  test(`the disk answers ${fault} for a while`, async () => {
    const disk = makeDisk();
    const server = await disk.start(OPEN);
    const kept = new Map();
    for (let i = 0; i < 5; i++) kept.set((await server.create(payloadOf(i, 3000))).id, payloadOf(i, 3000));
    const [first] = kept.keys();

    disk.fail(fault);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => server.post("/api/artifacts", { payload: payloadOf(100 + i, 3000) })));
    for (const answer of answers) assertError(answer, ...NOT_STORED);
    assertError(await put(server, first, "pChanged"), ...NOT_STORED);
    for (const [id, payload] of kept) assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, payload);
    assert.equal(await health(server), 503);
    await sleep(1200); // the refreshes of those reads fail, too, and nobody notices
    assert.equal((await server.getJson(`/api/artifacts/${first}`)).payload, kept.get(first));

    disk.heal();
    await until(async () => (await health(server)) === 200, "arxd to find the disk well again", 20_000);
    for (let i = 0; i < 5; i++) kept.set((await server.create(payloadOf(200 + i, 3000))).id, payloadOf(200 + i, 3000));
    assert.equal((await put(server, first, "pChanged")).status, 200);
    kept.set(first, "pChanged");
    said(server, words);
    await server.stop({ keep: true });
    assertIntact(disk.db);

    const again = await startServer({ ...OPEN, folder: disk.folder });
    for (const [id, payload] of kept) assert.equal((await again.getJson(`/api/artifacts/${id}`)).payload, payload);
    await again.stop();
  });

test("a table is dropped behind its back", async () => {
  const server = await startServer(OPEN);
  const { id } = await server.create("pKept");
  sql(server.db, "DROP TABLE artifacts;");
  for (let i = 0; i < 3; i++) {
    assertError(await server.post("/api/artifacts", { payload: "pNew" }), ...NOT_STORED);
    const read = await server.fetch(`/api/artifacts/${id}`);
    assert.equal(read.status, 500);
    await read.arrayBuffer();
    assert.equal(await health(server), 503);
  }
  assert.equal((await server.fetch("/arx-dictionary.json")).status, 200);
  said(server, /artifacts/);
  // Somebody puts the table back: nobody needs to restart arxd.
  sql(
    server.db,
    "CREATE TABLE artifacts (row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE CHECK (length(id) = 16), created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, " +
      "edit_key_hash BLOB, maker BLOB, codec TEXT, kind TEXT, title TEXT, payload TEXT NOT NULL) STRICT; DELETE FROM lifetimes;",
  );
  assert.equal((await server.getJson(`/api/artifacts/${(await server.create("pAgain")).id}`)).payload, "pAgain");
  await until(async () => (await health(server)) === 200, "/health");
  await server.stop();
});

/** Holds the database's write lock from another process until told to let go. */
async function holdLock(db) {
  const child = spawn("sqlite3", ["-batch", db], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const held = new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdin.write(".dbconfig no_ckpt_on_close on\n.timeout 5000\nBEGIN IMMEDIATE;\nSELECT 'held';\n");
  await held;
  return async () => {
    child.stdin.end("ROLLBACK;\n");
    await ended;
  };
}

test("a write lock held for a second is waited for; reading does not wait", async () => {
  const server = await startServer(OPEN);
  const { id } = await server.create("pBefore");
  const release = await holdLock(server.db);
  let stored = false;
  const posts = Array.from({ length: 5 }, (_, i) => server.create(`p${i}`).then((made) => ((stored = true), made)));
  for (let i = 0; i < 10; i++) {
    assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, "pBefore");
    await sleep(100);
  }
  assert.ok(!stored);
  await release();
  for (const made of await Promise.all(posts)) await server.getJson(`/api/artifacts/${made.id}`);
  await server.stop();
});

test("a write lock that is not let go: 503, then all is well again", async () => {
  const server = await startServer(OPEN);
  const { id } = await server.create("pBefore");
  const release = await holdLock(server.db);
  const started = Date.now();
  const late = await Promise.all([server.post("/api/artifacts", { payload: "pOne" }), put(server, id, "pTwo")]);
  assert.ok(Date.now() - started > 4500);
  for (const answer of late) {
    assert.equal(answer.status, 503);
    assert.ok(Number(answer.headers["retry-after"] ?? answer.headers.get("retry-after")) >= 1);
  }
  assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, "pBefore");
  await release();
  assert.equal((await put(server, id, "pTwo")).status, 200);
  await server.create("pThree");
  assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, "pTwo");
  await server.stop();
});

test("SIGKILL again and again: every 201 is there, and the database is whole", async (t) => {
  const folder = temporaryFolder("killed");
  const made = new Map();
  let server;
  for (let round = 0; round < 6; round++) {
    server = await startServer({ ...OPEN, folder });
    const work = Array.from({ length: 6 }, async (_, worker) => {
      for (let i = 0; !server.how; i++) {
        const payload = payloadOf(round * 1_000_000 + worker * 10_000 + i, i % 3 ? 1500 : 30_000);
        try {
          made.set((await server.create(payload)).id, payload);
        } catch (error) {
          if (error.cause?.code === undefined && !/fetch failed|terminated/.test(error.message)) throw error;
          return;
        }
      }
    });
    await sleep(150 + round * 130);
    await server.kill();
    await Promise.all(work);
  }
  server = await startServer({ ...OPEN, folder });
  for (const [id, payload] of made) assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, payload);
  t.diagnostic(`${made.size} links made between kills`);
  assert.ok(made.size > 30);
  await server.stop({ keep: true });
  assertIntact(server.db);
});
