/*
 * database.mjs - the database of a server under test, from outside: SQLite's file in its folder, or,
 * where ARXD_TEST_POSTGRES names a server (tests/postgres.sh), one of PostgreSQL's with the folder's
 * name. Tables and columns have the same names in both.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";

export const POSTGRES = process.env.ARXD_TEST_POSTGRES ?? null;

/** Runs a client to its end. */
function client(file, args, input) {
  const { status, stdout, stderr } = spawnSync(file, args, { input, encoding: "utf8", maxBuffer: 256 << 20, timeout: 60_000 });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

const PSQL = ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1"];
const psql = (url, statement) =>
  client("psql", [...PSQL, url], `SET client_min_messages TO error; SET search_path TO arxd;\n${statement}\n`);

/* A second connection must not checkpoint beside the server: its file's library loses rows then. */
const APART = ".timeout 5000\n.dbconfig no_ckpt_on_close on\nPRAGMA wal_autocheckpoint=0;\n";

/** What --db says for a server in that folder; an empty database unless there is one already. */
export function databaseIn(folder) {
  if (!POSTGRES) return path.join(folder, "arxd.db");
  const name = path.basename(folder);
  const known = psql(`${POSTGRES}/postgres`, `SELECT count(*) FROM pg_database WHERE datname = '${name}';`);
  if (known === "0") psql(`${POSTGRES}/postgres`, `CREATE DATABASE "${name}";`);
  return `${POSTGRES}/${name}`;
}

/** Runs SQL on a database a server may have open. */
export function sql(db, statement) {
  if (db.startsWith("postgresql:")) return psql(db, statement);
  return client("sqlite3", ["-batch", db], APART + statement + "\n").split("\n").slice(2).join("\n");
}

export const hexOf = (id) => id.replaceAll("-", "").toUpperCase();

/** Conditions that hold for the row of one link, in `artifacts` and in `lifetimes`. */
export const artifactIs = (id) => (POSTGRES ? `id = '${id}'` : `hex(id) = '${hexOf(id)}'`);
export const lifetimeIs = (id) =>
  POSTGRES ? `id = '${id}'` : `row = (SELECT row FROM artifacts WHERE hex(id) = '${hexOf(id)}')`;

export const payloadOf = (db, id) =>
  JSON.parse(
    sql(
      db,
      POSTGRES
        ? `SELECT to_json(convert_from(payload, 'UTF8')) FROM artifacts WHERE ${artifactIs(id)};`
        : `SELECT json_quote(payload) FROM artifacts WHERE ${artifactIs(id)};`,
    ),
  );

/** Makes a link's row look as if it had expired at that time: long ago, unless said otherwise. */
export const expire = (db, id, atMs = 1) =>
  sql(
    db,
    `UPDATE lifetimes SET expires_at = ${atMs}${POSTGRES ? `, expires_slot = ${atMs} >> 22` : ""} WHERE ${lifetimeIs(id)};`,
  );

/** As if every link had been coded with another asset set. */
export const renameSets = (db, set) =>
  sql(db, POSTGRES ? `UPDATE lifetimes SET asset_set = '${set}';` : `UPDATE asset_sets SET id = '${set}';`);

/** Replaces a text in the values of one space's notes (store.h). */
export const replaceInNotes = (db, space, text, by) =>
  sql(
    db,
    POSTGRES
      ? `UPDATE notes SET value = convert_to(replace(convert_from(value, 'UTF8'), '${text}', '${by}'), 'UTF8') WHERE space = ${space};`
      : `UPDATE notes SET value = CAST(replace(CAST(value AS TEXT), '${text}', '${by}') AS BLOB) WHERE space = ${space};`,
  );

/** Everything that is stored, as text; ids and bytes in hex. */
export function dump(db) {
  if (!POSTGRES) return sql(db, ".dump");
  const text = client("pg_dump", ["--inserts", db]);
  return `${text}\n${text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, hexOf)}`;
}

/** Is what is stored whole, as far as the database can tell? */
export function checkDatabase(db) {
  if (POSTGRES)
    assert.equal(sql(db, "SELECT count(*) FROM artifacts a FULL JOIN lifetimes l ON l.id = a.id WHERE a.id IS NULL OR l.id IS NULL;"), "0");
  else assert.equal(client("sqlite3", [db, "PRAGMA integrity_check;"]), "ok");
}

/** Keeps everybody else from writing; gives a function that lets them again. */
export async function lockDatabase(db) {
  const [file, args, begin] = POSTGRES
    ? ["psql", [...PSQL, db], "SET search_path TO arxd;\nBEGIN;\nLOCK TABLE artifacts, lifetimes, idempotency, notes, gone IN EXCLUSIVE MODE;\n"]
    : ["sqlite3", ["-batch", db], `${APART}BEGIN IMMEDIATE;\n`];
  const holder = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => holder.once("close", resolve));
  const locked = new Promise((resolve) => holder.stdout.on("data", (text) => /locked/.test(text) && resolve()));
  holder.stdin.write(`${begin}SELECT 'locked';\n`);
  await locked;
  return async () => {
    holder.stdin.end("ROLLBACK;\n");
    await ended;
  };
}
