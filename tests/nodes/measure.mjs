/*
 * measure.mjs - what docs/scaling-model.mjs reckons with: the sizes of rows on PostgreSQL, and how
 * many links a sweep removes in a second.
 *
 *   tests/node_modules/.bin/node tests/nodes/measure.mjs [LINKS]      20000 unless said otherwise
 *
 * Links have payloads of 1,500 random characters. Everything is synced to the disk.
 */
import { makeLinks } from "../bench/http/links.mjs";
import { sql } from "../http/database.mjs";
import { startServer } from "../http/harness.mjs";
import { startPostgres } from "./postgres.mjs";

const PAYLOAD = 1500;
const links = Number(process.argv[2] ?? 20_000);
if (!Number.isInteger(links) || links < 1000) {
  console.error(`measure: the number of links is a whole one from 1000 on, not ${process.argv[2]}`);
  process.exit(2);
}
const postgres = await startPostgres({ durable: true });
const db = `${postgres.url}/postgres`;
const server = await startServer({ db, env: { ARXD_RATE: "0" } });
await makeLinks(server, links, PAYLOAD);
sql(db, "VACUUM ANALYZE artifacts; VACUUM ANALYZE lifetimes;");
for (const table of ["artifacts", "lifetimes"]) {
  const [heap, indexes] = sql(db, `SELECT pg_table_size('${table}'), pg_indexes_size('${table}');`).split("|").map(Number);
  console.log(`${table}: ${Math.round(heap / links)} bytes a row, ${Math.round(indexes / links)} in indexes`);
}
sql(db, "UPDATE lifetimes SET expires_at = 1, expires_slot = 0;");
const begin = performance.now();
const { body } = await server.post("/api/cleanup", {});
const seconds = (performance.now() - begin) / 1000;
console.log(`sweep: ${body.deleted} links in ${seconds.toFixed(2)} s, ${Math.round(body.deleted / seconds)} a second`);
await server.stop();
await postgres.stop();
