/*
 * make bench-databases: arxd on PostgreSQL beside arxd on SQLite, one node and two, as ratios.
 *
 *   make bench-databases ARGS="--rounds 7 --seconds 3 --links 20000"
 *
 * Contenders run interleaved, in turns that go backwards every other round; figures are medians. All
 * of them are durable: SQLite with synchronous=FULL, PostgreSQL with fsync on, both on the same disk.
 * "two nodes" is wrk on each of them at once, their rates added up. 64 connections in all.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startServer } from "../../http/harness.mjs";
import { startPostgres } from "../../nodes/postgres.mjs";
import { makeLinks } from "../http/links.mjs";
import { median, printTable } from "../http/table.mjs";
import { wrk } from "../http/wrk.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "3" }, links: { type: "string", default: "20000" } },
});
const [rounds, seconds, links] = ["rounds", "seconds", "links"].map((name) => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`bench-databases: --${name} is a whole number above 0, not ${values[name]}`);
  process.exit(2);
});

const CHARACTERS = 2048;
const CONNECTIONS = 64;
const postgres = await startPostgres({ durable: true });
const env = { ARXD_RATE: "read=0,write=0,encode=0" };
const sqlite = await startServer({ env });
const shared = `${postgres.url}/postgres`;
const nodes = [await startServer({ env, db: shared }), await startServer({ env, db: shared })];
const contenders = { "SQLite": [sqlite], "PostgreSQL, one node": [nodes[0]], "PostgreSQL, two nodes": nodes };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "arxd-bench-"));
async function pathsOf(server, name) {
  const file = path.join(folder, name);
  const ids = await makeLinks(server, links, CHARACTERS);
  fs.writeFileSync(file, ids.map((id) => `/api/artifacts/${id}`).join("\n") + "\n");
  return file;
}
const paths = { SQLite: await pathsOf(sqlite, "sqlite") };
paths["PostgreSQL, one node"] = paths["PostgreSQL, two nodes"] = await pathsOf(nodes[0], "postgres");

const KINDS = {
  "GET a link": (name) => ({ target: "/", script: "random_paths.lua", args: [paths[name]] }),
  "POST a link, durable": () => ({ target: "/api/artifacts", script: "post_links.lua", args: [CHARACTERS] }),
};
const rates = {};
for (let round = 0; round < rounds; round++)
  for (const [kind, how] of Object.entries(KINDS)) {
    const names = Object.keys(contenders);
    for (const name of round % 2 ? names.reverse() : names) {
      const { target, ...rest } = how(name);
      const servers = contenders[name];
      const results = await Promise.all(
        servers.map(({ origin }) => wrk(origin + target, { seconds, connections: CONNECTIONS / servers.length, ...rest })),
      );
      ((rates[kind] ??= {})[name] ??= []).push(results.reduce((sum, { rate }) => sum + rate, 0));
    }
  }

const table = [["", "requests/s", "MB/s", "of SQLite"]];
for (const kind of Object.keys(KINDS))
  for (const name of Object.keys(contenders)) {
    const rate = median(rates[kind][name]);
    const ratio = median(rates[kind][name].map((value, i) => value / rates[kind].SQLite[i]));
    table.push([`${kind}: ${name}`, rate.toFixed(0), ((rate * CHARACTERS) / 1e6).toFixed(1), ratio.toFixed(2)]);
  }
printTable(table);
fs.rmSync(folder, { recursive: true });
for (const server of [sqlite, ...nodes]) await server.kill();
await postgres.stop();
process.exit(0);
