/*
 * A long time of everything at once: no answer but the right one, nothing that was answered 201 is
 * lost, memory stays bounded, the database whole, and SIGTERM ends it in order.
 *
 * SOAK_SECONDS (120) and SOAK_REQUESTS (no end) say how long, whichever is over first; SOAK_SEED what.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { IS_SANITIZED, startServer } from "../http/harness.mjs";
import { assertIntact } from "../storage/disk.mjs";
import { growthDuring } from "./memory.mjs";
import { MixedLoad } from "./mixed.mjs";

const number = (name, otherwise) => {
  const value = process.env[name] ? Number(process.env[name]) : otherwise;
  assert.ok(value > 0, `${name} is a number above 0, not ${process.env[name]}`);
  return value;
};
const seconds = number("SOAK_SECONDS", process.env.SOAK_REQUESTS ? Infinity : 120);
const requests = number("SOAK_REQUESTS", Infinity);
const seed = number("SOAK_SEED", Math.floor(Math.random() * 1e6) + 1);

/*
 * What memory may differ by: links that are in the database's cache, results of jobs that are kept
 * for five minutes. ASan keeps what was freed; told to keep little, it still pads and fragments.
 */
const MAY_GROW = (IS_SANITIZED ? 64 : 16) << 20;
const ASAN_OPTIONS = `${process.env.ASAN_OPTIONS ?? ""}:quarantine_size_mb=8`;

test("everything at once, for long", async (t) => {
  const server = await startServer({
    args: ["--max-body", String(256 << 10), "--raw-cache-mb", "1"],
    env: { ARXD_RATE: "read=0,write=0,encode=0", ASAN_OPTIONS },
  });
  const load = new MixedLoad(server, { seed });
  t.diagnostic(`seed ${seed}`);
  await load.run({ seconds: 60, requests: 3000 }); // models are primed, caches have begun
  const [earlier, later] = await growthDuring(server.child.pid, () => load.run({ seconds, requests }));
  const kept = await load.check();
  load.close();

  const mb = (bytes) => (bytes / (1 << 20)).toFixed(1);
  t.diagnostic(`${load.requests} requests, ${load.created} links, ${kept} of them kept and read, ${load.turnedAway} turned away`);
  t.diagnostic(`resident in the first half at most ${mb(earlier)} MB, in the second ${mb(later)} MB`);
  assert.ok(load.created > 0 && kept > 0);
  assert.ok(later - earlier < MAY_GROW, `resident memory grew from ${mb(earlier)} to ${mb(later)} MB`);
  await server.stop({ keep: true });
  assertIntact(server.db);
});
