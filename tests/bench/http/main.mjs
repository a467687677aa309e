/*
 * make bench-http: arxd beside nginx on this machine, and on PostgreSQL beside SQLite, as ratios; and
 * arxd's memory and fairness.
 *
 *   make bench-http ARGS="--rounds 7 --seconds 3 row page"
 *
 *   --rounds N     rounds of everything, interleaved; figures are medians of them (5)
 *   --seconds N    for each contender in a round (2)
 *   --links N      stored before the races (100000)
 *   --growth N     seconds of mixed load for the growth of memory (600)
 *   NAME...        only these: races of races.mjs, or memory, encodes, listeners, growth
 *
 * Machines differ and drift, so ratios are what the table is read for. nginx is as nginx.conf has it,
 * one worker; arxd is as it comes, but for rate limits. On a busy machine the processor time that a
 * request takes of each says more than rates do; of arxd on PostgreSQL it is arxd's own. 64
 * connections, of two nodes 32 each. The databases lie on a disk, and what is written is synced.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { sleep, startServer, temporaryFolder } from "../../http/harness.mjs";
import { startPostgres } from "../../nodes/postgres.mjs";
import { growthDuring } from "../../soak/memory.mjs";
import { MixedLoad } from "../../soak/mixed.mjs";
import { measureEncodes } from "./encodes.mjs";
import { makeLinks } from "./links.mjs";
import { measureListeners } from "./listeners.mjs";
import { startNginx } from "./nginx.mjs";
import { cpuSeconds, residentBytes } from "./process.mjs";
import { LINK_CHARACTERS, RACES } from "./races.mjs";
import { median, printTable } from "./table.mjs";
import { wrk } from "./wrk.mjs";

const ENV = { ARXD_RATE: "read=0,write=0,encode=0" };
const TMPFS_MAGIC = 0x01021994;
const MEMORY_WANTED = 40 << 20;

/** Ends the program with one line when it was not called, or stands, as it must. */
function demand(condition, why) {
  if (condition) return;
  console.error(`bench-http: ${why}`);
  process.exit(2);
}

const { values: options, positionals: picked } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    links: { type: "string", default: "100000" },
    growth: { type: "string", default: "600" },
  },
});
const [rounds, seconds, linkCount, growthSeconds] = ["rounds", "seconds", "links", "growth"].map((name) => {
  const value = Number(options[name]);
  demand(Number.isInteger(value) && value > 0, `--${name} is a whole number above 0, not ${options[name]}`);
  return value;
});
const FIGURES = ["memory", "encodes", "listeners", "growth"];
const names = [...RACES.map((race) => race.name), ...FIGURES];
for (const name of picked) demand(names.includes(name), `there is no "${name}", only ${names.join(", ")}`);
const wanted = (name) => picked.length === 0 || picked.includes(name);
const note = (text) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : "");
const mb = (bytes) => `${(bytes / (1 << 20)).toFixed(1)} MB`;


const CONNECTIONS = 64;
const pairOf = (race) => race.pair ?? ["arxd", "nginx"];

/** One more result for each contender of the race: [{ origin, pid }], asked at once and added up. */
async function runRound(race, contenders) {
  const pair = pairOf(race);
  // Who begins changes, so that neither always finds the machine as the other left it.
  const order = race.results[pair[0]].length % 2 ? [...pair].reverse() : pair;
  for (const who of order) {
    const { path: target, ...rest } = race.asks[who];
    const those = contenders[who];
    const used = () => those.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
    const before = used();
    const each = await Promise.all(those.map(({ origin }) => wrk(origin + target, { seconds, connections: CONNECTIONS / those.length, ...rest })));
    const sum = (what) => each.reduce((total, result) => total + result[what], 0);
    race.results[who].push({
      rate: sum("rate"),
      requests: sum("requests"),
      p50_ms: sum("p50_ms") / each.length,
      p99_ms: Math.max(...each.map(({ p99_ms }) => p99_ms)),
      cpu_us: ((used() - before) * 1e6) / sum("requests"),
    });
    await sleep(300); // what was put off is done: refreshes, checkpoints
  }
}

function raceLine(race) {
  const { title, beside, wanted: ratio, results } = race;
  const [first, second] = pairOf(race);
  const of = (who, what) => median(results[who].map((result) => result[what]));
  const ratios = results[first].map((result, i) => result.rate / results[second][i].rate);
  const times = (who) => `${of(who, "p50_ms").toFixed(2)} / ${of(who, "p99_ms").toFixed(2)}`;
  return [
    `${title} : ${beside}`,
    of(first, "rate").toFixed(0),
    of(second, "rate").toFixed(0),
    median(ratios).toFixed(2),
    ratio?.toFixed(2) ?? "",
    `${of(first, "cpu_us").toFixed(0)}, ${of(second, "cpu_us").toFixed(0)}`,
    times(first),
    times(second),
  ];
}

function printRaces(races) {
  printTable([
    [`${CONNECTIONS} connections : what stands beside it`, "a second", "beside", "ratio", "wanted", "CPU us each", "p50 / p99 ms", "beside p50 / p99 ms"],
    ...races.map(raceLine),
  ]);
  console.log();
}

async function raceAll(races, scratch) {
  const arxd = await startServer({ env: ENV });
  const nginx = await startNginx(scratch);
  const runs = (who) => races.some((race) => pairOf(race).includes(who));
  const postgres = runs("postgres") || runs("nodes") ? await startPostgres({ durable: true }) : null;
  const nodes = [];
  const lines = [];
  try {
    const atStart = residentBytes(arxd.child.pid);
    for (let i = 0; postgres && i < 2; i++) nodes.push(await startServer({ env: ENV, db: `${postgres.url}/postgres` }));
    note(`storing ${linkCount} links`);
    const bench = { arxd, nginx, nodes, scratch, links: await makeLinks(arxd, linkCount, LINK_CHARACTERS) };
    if (postgres) bench.shared = await makeLinks(nodes[0], linkCount, LINK_CHARACTERS);
    for (const race of races) {
      race.asks = await race.prepare(bench);
      race.results = Object.fromEntries(pairOf(race).map((who) => [who, []]));
    }
    const processOf = ({ origin, child }) => ({ origin, pid: child.pid });
    const contenders = {
      arxd: [processOf(arxd)],
      nginx: [{ origin: nginx.origin, pid: nginx.worker }],
      postgres: nodes.slice(0, 1).map(processOf),
      nodes: nodes.map(processOf),
    };
    for (let round = 0; round < rounds; round++)
      for (const race of races) {
        note(`${race.name}, round ${round + 1} of ${rounds}`);
        await runRound(race, contenders);
      }
    for (const race of races) race.check?.(bench, race.results.arxd.reduce((sum, { requests }) => sum + requests, 0));
    note("");
    if (races.length > 0) printRaces(races);
    lines.push(["resident at the start", mb(atStart), ""]);
    lines.push(["resident after that, before the first encode", mb(residentBytes(arxd.child.pid)), `< ${mb(MEMORY_WANTED)}`]);
  } finally {
    await nginx.stop();
    for (const server of [arxd, ...nodes]) await server.stop();
    await postgres?.stop();
  }
  return lines;
}

/** Everything a client can do, for a while: what grows for ever has grown in its second half. */
async function measureGrowth() {
  const server = await startServer({ args: ["--max-body", String(256 << 10)], env: ENV });
  const load = new MixedLoad(server, { seed: 1 });
  note(`mixed load for ${growthSeconds} s`);
  const [earlier, later] = await growthDuring(server.child.pid, () => load.run({ seconds: growthSeconds }));
  load.close();
  await server.stop();
  return [
    [`mixed load of ${growthSeconds} s: requests a second`, (load.requests / growthSeconds).toFixed(0), ""],
    ["  most resident in its first half", mb(earlier), ""],
    ["  and more than that in its second", mb(later - earlier), "<= 2 MB"],
  ];
}

const scratch = temporaryFolder("bench-http");
demand(fs.statfsSync(scratch).type !== TMPFS_MAGIC, `${scratch} is in memory: a disk is what is measured`);
try {
  const races = RACES.filter(({ name }) => wanted(name));
  const lines = [];
  if (races.length > 0 || wanted("memory")) lines.push(...(await raceAll(races, scratch)));
  if (wanted("encodes")) lines.push(...(await measureEncodes({ rounds, seconds, env: ENV, note })));
  if (wanted("listeners")) lines.push(...(await measureListeners({ rounds, seconds, env: ENV, note })));
  if (wanted("growth")) lines.push(...(await measureGrowth()));
  note("");
  printTable([[`${os.availableParallelism()} cores`, "measured", "wanted"], ...lines]);
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
