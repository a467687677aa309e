/*
 * A 201 means that the link is on disk: none leaves before fdatasync() of the log has returned, and
 * when the power fails at any moment, with everything lost that was not synced, whatever was
 * answered is there at the next start.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { sleep, startServer, until } from "../http/harness.mjs";
import { assertIntact, makeDisk, payloadOf } from "./disk.mjs";

const OPEN = { args: ["--open-writes"], env: { ARXD_RATE: "read=0,write=0" } };

test("no 201 before the log is synced", async () => {
  const disk = makeDisk();
  const server = await disk.start(OPEN);
  const synced = [];
  for (let i = 0; i < 40; i++) await server.create(payloadOf(i, i % 5 === 0 ? 60_000 : 300)); // one at a time
  for (const line of disk.lines().filter((line) => line.startsWith("201"))) {
    const [, dirty, count] = /^201 dirty=(\d+) synced=(\d+)$/.exec(line);
    assert.equal(dirty, "0", "a 201 left before its log was synced");
    synced.push(Number(count));
  }
  assert.equal(synced.length, 40);
  for (let i = 1; i < 40; i++) assert.ok(synced[i] > synced[i - 1], "a 201 without a sync of its own");
  await server.stop();
});

test("a disk that lies about syncing is found out, so the test above can fail", async () => {
  const disk = makeDisk(undefined, { deaf: true });
  const server = await disk.start(OPEN);
  await server.create(payloadOf(1, 300));
  assert.match(disk.lines().join("\n"), /^201 dirty=[1-9]/m);
  disk.fail("CUT 1");
  await server.post("/api/artifacts", { payload: "pLost" }).catch(() => {});
  await server.waitForEnd();
  assert.equal(server.how.signal, "SIGKILL");
  assert.ok(!fs.existsSync(disk.db), "all of it was lost, the file too");
  disk.remove();
});

/** What a client was told: id -> the payloads it may find there (null: none). */
class Ledger {
  links = new Map();
  answered = 0;
  begun = Date.now();

  async work(server, worker) {
    for (let i = 0; !server.how; i++) {
      const number = worker * 100_000 + i;
      const size = [200, 2_000, 2_000, 70_000][i % 4];
      try {
        const made = await server.post("/api/artifacts", { payload: payloadOf(number, size) });
        if (made.status !== 201) throw new Error(`${made.status} ${made.text}`);
        this.links.set(made.body.id, [payloadOf(number, size)]);
        this.answered++;
        if (i % 5 === 3) await this.change(server, made.body.id, number);
        // Everybody rests together now and then: long enough for the log to be emptied.
        const beat = (Date.now() - this.begun) % 1600;
        if (beat > 500) await sleep(1600 - beat);
      } catch (error) {
        // The connection broke with the power; anything else is a finding.
        if (error.cause?.code === undefined && !/fetch failed|terminated/.test(error.message)) throw error;
        return;
      }
    }
  }

  /** While a change is under way both states are right; when it is answered, one is. */
  async change(server, id, number) {
    const before = this.links.get(id);
    const after = number % 2 ? null : payloadOf(number + 50_000, 900);
    this.links.set(id, [...before, after]);
    const target = `${server.origin}/api/artifacts/${id}`;
    const answer = await fetch(target, after === null ? { method: "DELETE" } : { method: "PUT", body: JSON.stringify({ payload: after }) });
    assert.equal(answer.status, 200, await answer.text());
    this.links.set(id, [after]);
    this.answered++;
  }

  async check(server) {
    for (const [id, right] of this.links) {
      const response = await server.fetch(`/api/artifacts/${id}`);
      const body = await response.json();
      const found = response.status === 200 ? body.payload : null;
      if (found === null) assert.equal(response.status, 404);
      assert.ok(right.includes(found), `${id}: found ${found?.slice(0, 20)}, answered ${right.map((r) => r?.slice(0, 20))}`);
    }
  }
}

/** Runs the work until the power is cut, then starts on what is left of the disk. */
async function cutOnce(options, interfere) {
  const disk = makeDisk(undefined, options);
  const ledger = new Ledger();
  let ended = "at the start";
  try {
    const server = await disk.start(OPEN);
    const work = Promise.all(Array.from({ length: 8 }, (_, worker) => ledger.work(server, worker)));
    await interfere?.(disk, server, ledger);
    await work;
    await server.waitForEnd();
    assert.equal(server.how.signal, "SIGKILL");
    assert.equal(server.output, "");
    ended = "at work";
  } catch (error) {
    if (!/ended at its start/.test(error.message)) throw error;
  }
  const during = disk.lines().find((line) => line.startsWith("cut")) ?? "no cut";
  assert.match(during, /^cut during/);
  const again = await startServer({ ...OPEN, folder: disk.folder });
  await ledger.check(again);
  await again.stop({ keep: true });
  assertIntact(disk.db);
  disk.remove();
  return { during, ended, answered: ledger.answered };
}

test("power cuts while the database is made", async (t) => {
  const seen = new Set();
  for (const cut of [1, 2, 3, 5, 8, 12, 17, 25, 40]) seen.add((await cutOnce({ cut, seed: cut % 2 })).during.replace(/,.*/, ""));
  t.diagnostic([...seen].join("; "));
});

test("power cuts under load lose nothing that was answered", async (t) => {
  // Every kind of call the disk sees, early and late.
  const kinds = { "write wal": 1000, "sync wal": 80, "write db": 80, "sync db": 2, "truncate wal": 2 };
  let answered = 0;
  const seen = {};
  for (let round = 0; round < 15; round++) {
    const [kind, most] = Object.entries(kinds)[round % 5];
    const cut = `${kind}:${1 + Math.ceil(Math.random() * most)}`;
    const seed = round % 2 === 0 ? 0 : 1 + Math.floor(Math.random() * 2 ** 31);
    const result = await cutOnce({ cut, seed });
    answered += result.answered;
    const during = result.during.replace(/,.*/, "").replace("cut during ", "");
    seen[during] = (seen[during] ?? 0) + 1;
  }
  t.diagnostic(`${answered} answers kept; cut during: ${JSON.stringify(seen)}`);
  assert.ok(answered > 100);
  assert.ok(Object.keys(seen).length >= 4, JSON.stringify(seen));
});

test("power cuts while it stops", async (t) => {
  const seen = new Set();
  for (let round = 0; round < 6; round++) {
    const result = await cutOnce({ seed: round % 3 }, async (disk, server, ledger) => {
      await until(() => ledger.answered >= 40, "some answers", 60_000);
      disk.fail(`CUT ${1 + round * 7}`);
      server.child.kill("SIGTERM");
    });
    seen.add(result.during.replace(/,.*/, ""));
  }
  t.diagnostic([...seen].join("; "));
});
