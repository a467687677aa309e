/*
 * scaling-model.mjs - what a number of links takes on PostgreSQL: the table in scaling.md.
 *
 *   node docs/scaling-model.mjs [--payload BYTES] [--life DAYS] [--reads PER_LINK]
 *
 * It plays a steady service day by day: links are made, read, and end; what is stored is what is
 * alive, and what the sweep has not yet got to. Sizes of rows are measured on PostgreSQL 15 with
 * 60,000 random payloads of 1,500 bytes (pg_table_size, pg_indexes_size); tests/nodes/measure.mjs
 * does that again, with rows that have neither kind nor title, and measures the rate of a sweep.
 */
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { payload: { type: "string", default: "1500" }, life: { type: "string", default: "30" }, reads: { type: "string", default: "10" } },
});
const [PAYLOAD, LIFE_DAYS, READS] = [values.payload, values.life, values.reads].map(Number);

const PAGE = 8192;
const ROW_BESIDE_PAYLOAD = 178; // of `artifacts`: header, id, times, key's hash, codec, kind, title
const LIFETIME_ROW = 135;
const ARTIFACT_INDEXES = 41;
const LIFETIME_INDEXES = 47;
const VERSIONS = 1.2; // of a lifetime: what vacuum has not got to yet
const WAL_A_LINK = 1.6; // times its row: the rows themselves, indexes, whole pages after a checkpoint
const SWEEP_ROWS = 500; // a step of a sweep, in one transaction
const STEPS_A_SECOND = 20; // measured: 36 on a busy machine of two cores
const DAY_S = 86_400;

/* Rows share pages whole: a page holds so many. Longer ones lie outside, packed by the kilobyte. */
function heapBytes(payload) {
  const row = payload + ROW_BESIDE_PAYLOAD;
  if (row > 2000) return Math.ceil(payload / 1996) * 2048 + ROW_BESIDE_PAYLOAD + 20;
  return PAGE / Math.floor((PAGE - 24) / (row + 4));
}

function play(links) {
  const madeADay = links / LIFE_DAYS;
  let alive = 0;
  const ends = []; // by day
  for (let day = 0; day < 3 * LIFE_DAYS; day++) {
    alive += madeADay - (ends[day] ?? 0);
    ends[day + LIFE_DAYS] = madeADay;
  }
  const unswept = madeADay / 24; // a sweep begins every hour
  const rows = alive + unswept;
  const heap = heapBytes(PAYLOAD);
  return {
    links,
    perSecond: madeADay / DAY_S,
    dataGB: (rows * (heap + LIFETIME_ROW * VERSIONS)) / 1e9,
    indexGB: (rows * (ARTIFACT_INDEXES + LIFETIME_INDEXES)) / 1e9,
    walGB: (madeADay * (heap + LIFETIME_ROW) * WAL_A_LINK) / 1e9,
    reads: (madeADay * READS) / DAY_S,
    sweepS: unswept / SWEEP_ROWS / STEPS_A_SECOND,
    nodes: Math.max(2, Math.ceil((madeADay * (READS + 1)) / DAY_S / 4000) + 1),
  };
}

const number = (value) => (value >= 100 ? Math.round(value) : Number(value.toPrecision(2))).toLocaleString("en-US");
const COLUMNS = [
  ["links alive", ({ links }) => number(links)],
  ["made a second", (r) => number(r.perSecond)],
  ["reads a second", (r) => number(r.reads)],
  ["tables, GB", (r) => number(r.dataGB)],
  ["indexes, GB", (r) => number(r.indexGB)],
  ["WAL a day, GB", (r) => number(r.walGB)],
  ["an hourly sweep, s", (r) => number(r.sweepS)],
  ["nodes", (r) => number(r.nodes)],
  ["connections", (r) => number(r.nodes * 3)],
];
const line = (cells) => `| ${cells.join(" | ")} |`;
console.log(line(COLUMNS.map(([name]) => name)));
console.log(line(COLUMNS.map(() => "--:")));
for (const links of [1e6, 1e7, 1e8, 1e9]) {
  const result = play(links);
  console.log(line(COLUMNS.map(([, show]) => show(result))));
}
