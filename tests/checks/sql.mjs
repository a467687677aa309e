/*
 * sql.mjs - lists the features of every statement the PostgreSQL engine runs, and fails on one that
 * the table in docs/scaling.md does not say all four databases have.
 *
 *   node tests/checks/sql.mjs [--list] [STATEMENT...]
 *
 * Statements that are given are looked at besides.  * Statements come from the migrations and, after the preprocessor, from the engine's sources. Every
 * word in capitals and every function called must belong to a feature, so nothing goes unseen.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";

/* Feature, and the words and functions that show it. */
const FEATURES = {
  "transactions": "BEGIN COMMIT ROLLBACK",
  "SELECT with conditions, order and limit": "SELECT FROM WHERE AND OR ORDER BY ASC DESC LIMIT AS",
  "INSERT of one row": "INSERT INTO VALUES",
  "INSERT … ON CONFLICT": "ON CONFLICT DO NOTHING UPDATE SET excluded",
  "UPDATE and DELETE by key": "UPDATE SET DELETE",
  "FOR UPDATE": "FOR UPDATE",
  "inner join on the key": "JOIN ON",
  "EXISTS": "EXISTS",
  "arrays as parameters: = ANY ($1)": "ANY",
  "CASE": "CASE WHEN THEN ELSE END",
  "NULL tests": "IS NOT NULL",
  "aggregates with FILTER and GROUP BY": "FILTER GROUP BY count( sum(",
  "greatest, coalesce, octet_length": "greatest( coalesce( octet_length(",
  "CAST": "CAST AS CAST(",
  "bit shift of bigint": ">>",
  "version()": "version(",
  "settings of a session": "SET TO",
  "schemas and tables, made if they are not there": "CREATE SCHEMA TABLE IF NOT EXISTS NULL PRIMARY KEY",
  "indexes, also on a part of the rows": "CREATE INDEX IF NOT EXISTS ON WHERE IS NULL",
  "a column more": "ALTER TABLE ADD COLUMN IF NOT EXISTS",
};
const SOURCES = fs.readdirSync("server").filter((name) => /^store_postgres\w*\.c$/.test(name)).map((name) => `server/${name}`);
const VERB = /^(SELECT|INSERT|UPDATE|DELETE|BEGIN|COMMIT|ROLLBACK|CREATE|ALTER|SET|DROP|LOCK|WITH|DO|CALL|COPY|TRUNCATE|GRANT|DECLARE|LISTEN|NOTIFY)\b/;

function statements() {
  const found = process.argv.slice(2).filter((word) => !word.startsWith("--")).map((text) => ["given", text]);
  for (const name of fs.readdirSync("sql/postgres").sort())
    for (const text of fs.readFileSync(`sql/postgres/${name}`, "utf8").replace(/--.*$/gm, "").split(";"))
      if (text.trim()) found.push([name, text]);
  for (const source of SOURCES) {
    const text = execFileSync(process.env.CC ?? "cc", ["-E", "-P", "-D_GNU_SOURCE", "-iquote", "server", source], { encoding: "utf8", maxBuffer: 1 << 26 });
    for (const [, literal] of text.replace(/"\s*"/g, "").matchAll(/"((?:[^"\\\n]|\\.)*)"/g))
      for (const part of literal.split(";")) if (VERB.test(part.trim())) found.push([source, part]);
  }
  return found.map(([where, text]) => [where, text.replace(/\s+/g, " ").trim()]);
}

/** What a statement shows: words in capitals, functions, operators that are not everybody's. */
function signs(text) {
  const bare = text.replace(/'[^']*'/g, "''");
  return new Set([
    ...(bare.match(/\b[A-Z]{2,}\b/g) ?? []),
    ...(bare.match(/\b[a-z_]+(?=\()/g) ?? []).map((name) => `${name}(`),
    ...(bare.match(/>>|<<|->|::|@>|\|\||~|%(?!zu|u|lld)/g) ?? []),
  ]);
}

const table = new Map(
  fs.readFileSync("docs/scaling.md", "utf8").split("\n").filter((line) => line.startsWith("| ")).map((line) => {
    const cells = line.split("|").slice(1, -1).map((cell) => cell.trim());
    return [cells[0], cells.slice(1, 5)];
  }),
);
let faults = 0;
const fault = (text) => (faults++, console.log(text));
for (const [where, text] of statements()) {
  const features = new Set();
  for (const sign of signs(text)) {
    // the first feature whose every leading word is there decides for shared words
    const having = Object.entries(FEATURES).filter(([, words]) => words.split(" ").includes(sign));
    if (having.length === 0) fault(`${where}: ${sign} belongs to no feature: ${text}`);
    const best = having.find(([, words]) => new RegExp(`\\b${words.split(" ")[0].replace("(", "\\(")}`).test(text)) ?? having[0];
    if (best) features.add(best[0]);
  }
  for (const feature of features) {
    const cells = table.get(feature);
    if (!cells || !cells.every((cell) => cell.startsWith("yes"))) fault(`${where}: docs/scaling.md does not say that all have "${feature}": ${text}`);
  }
  if (process.argv.includes("--list")) console.log(`${where}: ${text}\n    ${[...features].join("; ")}`);
}
process.exitCode = faults ? 1 : 0;
