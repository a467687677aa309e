/*
 * arxd copy: everything a database holds moves to one of the other kind and back, and no row is
 * another then; killed in the middle it goes on; a service moves as docs/scaling.md says.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, note, want } from "../http/calls.mjs";
import { sql } from "../http/database.mjs";
import { ARXD, ROOT, cleanEnvironment, run, startServer, temporaryFolder } from "../http/harness.mjs";
import { startDetour, startPostgres } from "./postgres.mjs";

let postgres, folder;
before(async () => {
  postgres = await startPostgres();
  folder = temporaryFolder("copy");
});
after(async () => {
  await postgres?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const emptyDatabase = (name) => {
  sql(`${postgres.url}/postgres`, `CREATE DATABASE ${name};`);
  return `${postgres.url}/${name}`;
};
const fileNamed = (name) => path.join(folder, name);
const copy = (from, to, more = {}) => run(ARXD, ["copy", "--from", from, "--to", to], more);
function copied(from, to) {
  const { code, stdout, stderr } = copy(from, to);
  assert.deepEqual([code, stderr], [0, ""], stdout);
  return stdout;
}

/* Rows of every form: strings that are NULL, empty and, in the middle, long; the least and the largest key there can be. */
const MANY = `
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
  INSERT INTO artifacts (row, id, created_at, updated_at, edit_key_hash, maker, codec, kind, title, payload)
  SELECT 1000 + i, CASE WHEN i = 1 THEN zeroblob(16) WHEN i = 2 THEN x'ffffffffffffffffffffffffffffffff'
      WHEN i % 300 = 0 THEN CAST('~' || substr(hex(randomblob(8)), 2) AS BLOB) ELSE randomblob(16) END, i, 2 * i,
    iif(i % 2, randomblob(32), NULL), iif(i % 3, randomblob(32), NULL), iif(i % 5, 'arx4', NULL), iif(i % 7, 'markdown', NULL),
    CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'Zähler 🦉' ELSE 'title ' || i END,
    CASE WHEN i % 300 = 0 THEN replace(hex(zeroblob(200000)), '0', 'é') ELSE 'p' || hex(randomblob(i % 900)) END FROM n;
INSERT INTO lifetimes (row, expires_at, last_viewed_at, ttl, sliding, views, max_views, views_left, asset_set, label)
  SELECT row, 4102444800000 - row, row, 86400000, row % 2, row % 11, row % 13, row % 3,
    iif(row % 3, (SELECT max(number) FROM asset_sets), NULL), iif(row % 4, 'label ' || row, NULL) FROM artifacts WHERE row > 1000;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
  INSERT INTO idempotency (scope, body_hash, status, at, response) SELECT randomblob(32), randomblob(32), 201, i, randomblob(i % 50) FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO gone (id, at) SELECT randomblob(16), i FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
  INSERT INTO notes (space, key, owner, version, expires_at, value)
  SELECT 90 + i % 3, iif(i % 20, randomblob(32), x'${"f".repeat(64)}'), randomblob(32), i, 4102444800000, randomblob(i % 40)
  FROM n WHERE i % 20 OR i < 61;`;

/** A database file with links that arxd made, and many more: { db, id }, id one of arxd's. */
let filled;
async function fill(name) {
  filled ??= makeFilled(fileNamed("filled.db"));
  const { db, id } = await filled;
  assert.equal(run(ARXD, ["backup", fileNamed(name), "--db", db]).code, 0);
  return { db: fileNamed(name), id };
}
async function makeFilled(db) {
  const server = await startServer({ db, args: ["--gone"] });
  const made = await server.create({ envelope: note("# a report\n"), max_views: 5 });
  const dropped = await server.create("pe30");
  await want(201, server, "POST", "/api/artifacts", { json: { payload: "pe31" }, headers: { "Idempotency-Key": "sent-once-and-kept" } });
  await want(200, server, "DELETE", `/api/artifacts/${dropped.id}`, { key: dropped.edit_key });
  await want(202, server, "POST", "/encode", { json: { envelope: note("later"), async: true } });
  await server.stop({ keep: true });
  sql(db, MANY);
  return { db, id: made.id };
}

/** Every table of a file, without the numbers that rows have there and nowhere else. */
function rowsOf(db) {
  const tables = sql(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name;").split("\n");
  assert.deepEqual(tables, ["artifacts", "asset_sets", "gone", "idempotency", "lifetimes", "makers", "notes"], "arxd copy knows all tables");
  const columns = (table, alias) =>
    sql(db, `SELECT name FROM pragma_table_info('${table}');`).split("\n").filter((name) => name !== "row" && name !== "number")
      .map((name) => (table === "lifetimes" && name === "asset_set" ? "s.id" : `${alias}.${name}`))
      .map((name) => `typeof(${name}) || quote(${name})`).join(" || ',' || ");
  return {
    links: sql(db, `SELECT ${columns("artifacts", "a")} || '|' || ${columns("lifetimes", "l")} FROM artifacts a JOIN lifetimes l ON l.row = a.row LEFT JOIN asset_sets s ON s.number = l.asset_set ORDER BY a.id;`),
    alone: sql(db, "SELECT count(*) FROM lifetimes WHERE row NOT IN (SELECT row FROM artifacts);"),
    gone: sql(db, `SELECT ${columns("gone", "t")} FROM gone t ORDER BY id;`),
    idempotency: sql(db, `SELECT ${columns("idempotency", "t")} FROM idempotency t ORDER BY scope;`),
    makers: sql(db, "SELECT hex(maker) || links || ',' || bytes FROM makers ORDER BY maker;"), // kept by triggers
    notes: sql(db, `SELECT row || ',' || ${columns("notes", "t")} FROM notes t ORDER BY row;`),
  };
}

/** Starts a copy and lets it come as far as so many bytes. */
async function copyUntil(bytes, from, to) {
  const detour = await startDetour(postgres.url);
  const reached = detour.pauseAfter(bytes);
  const child = spawn(ARXD, ["copy", "--from", from, "--to", to.replace(postgres.url, detour.url)], { env: cleanEnvironment(), stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += text));
  const ended = new Promise((resolve) => child.once("close", (code) => resolve(code)));
  assert.equal(await Promise.race([reached, ended]), undefined, `it ended before: ${stderr}`);
  return { detour, child, ended };
}
const startRefused = (db) => run(ARXD, ["--db", db, "--port", "0", "--log", "text:error"]);

test("to PostgreSQL, killed in the middle and started again, and back: no row is another", async () => {
  const { db, id } = await fill("one.db");
  const there = emptyDatabase("there");
  const { detour, child, ended } = await copyUntil(700_000, db, there);
  const half = Number(sql(there, "SELECT count(*) FROM artifacts;"));
  assert.ok(half > 0 && half < 1500, `${half} rows`);
  child.kill("SIGKILL");
  await ended;
  detour.close();

  const refused = startRefused(there);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /the copy into it has not ended: run "arxd copy" once more\n$/);
  assert.ok(!refused.stderr.includes(new URL(there).password));
  assert.equal(copy(there, fileNamed("never.db")).code, 1, "nor copied from");

  const said = copied(db, there);
  const added = Number(/^links: 1502 rows: (\d+) added, 0 replaced, 0 removed$/m.exec(said)?.[1]);
  assert.ok(added > 0 && added <= 1502 - half, said);
  assert.match(said, /\ncompared: all \d+ rows are the same\n$/);
  assert.equal(sql(there, "SELECT count(*) FROM lifetimes WHERE expires_slot <> expires_at >> 22;"), "0");

  copied(there, fileNamed("back.db"));
  assert.deepEqual(rowsOf(fileNamed("back.db")), rowsOf(db));

  // Both are whole services.
  for (const at of [there, fileNamed("back.db")]) {
    const server = await startServer({ db: at, args: ["--gone"] });
    assert.equal(await want(200, server, "GET", `/${id}/raw`), "# a report\n");
    const { status } = await call(server, "POST", "/api/artifacts", { json: { payload: "pe31" }, headers: { "Idempotency-Key": "sent-once-and-kept" } });
    assert.equal(status, 201);
    await server.stop({ keep: true });
    assert.match(copy(db, at).stderr, /holds links of its own, which a copy would remove: name one that is empty/);
  }
  assert.equal(run(ARXD, ["check", "--db", fileNamed("back.db")]).code, 0);
});

test("what was added, changed and removed since is brought over, and nothing else", async () => {
  const { db } = await fill("two.db");
  const there = emptyDatabase("since");
  copied(db, there);
  sql(db, `DELETE FROM lifetimes WHERE row BETWEEN 1100 AND 1109; DELETE FROM artifacts WHERE row BETWEEN 1100 AND 1109;
    UPDATE lifetimes SET views = views + 1 WHERE row BETWEEN 1200 AND 1219;
    UPDATE artifacts SET title = 'other' WHERE row BETWEEN 1300 AND 1304;
    DELETE FROM notes WHERE row IN (SELECT row FROM notes WHERE space = 91 LIMIT 3);
    UPDATE notes SET version = version + 1, value = x'00' WHERE row IN (SELECT row FROM notes WHERE space = 92 LIMIT 4);
    DELETE FROM gone WHERE at < 8;`);
  const said = copied(db, there);
  assert.match(said, /^links: 1492 rows: 0 added, 25 replaced, 10 removed$/m);
  assert.match(said, /^records: 201 rows: 0 added, 0 replaced, 0 removed$/m);
  assert.match(said, /^gone: \d+ rows: 0 added, 0 replaced, 7 removed$/m);
  assert.match(said, /^notes: \d+ rows: 0 added, 4 replaced, 3 removed$/m);
  copied(there, fileNamed("two-back.db"));
  assert.deepEqual(rowsOf(fileNamed("two-back.db")), rowsOf(db));
  // Two nodes may have given two notes one place in lists.
  sql(there, "UPDATE notes SET made_at = 77;");
  copied(there, fileNamed("ties.db"));
  assert.equal(sql(fileNamed("ties.db"), "SELECT min(row) = 77 AND max(row) = 76 + count(*) FROM notes;"), "1");
});

/** The commands of the recipe. */
function recipe() {
  const text = fs.readFileSync(path.join(ROOT, "docs/scaling.md"), "utf8");
  const [, section] = /^## Moving there\n(.*?)^## /ms.exec(text);
  return section.split("\n").filter((line) => line.startsWith("    ")).map((line) => line.replace(/#.*/, "").trim());
}

test("a running service moves by the recipe", async () => {
  const lines = recipe();
  assert.equal(lines.filter((line) => line.startsWith("arxd copy ")).length, 2);
  const file = fileNamed("moving.db");
  const there = emptyDatabase("moved");
  const made = new Map();
  let server = await startServer({ db: file });
  const make = async (count) => {
    for (let i = 0; i < count; i++) {
      const payload = `p${made.size}`;
      made.set((await server.create(payload)).id, payload);
    }
  };
  await make(300);
  let copies = 0;
  for (const line of lines) {
    if (line.startsWith("arxd copy ")) {
      const words = line.split(" ").slice(1).map((word) => (word.startsWith("postgresql:") ? there : word.endsWith(".db") ? file : word));
      if (++copies === 1) {
        // While it is under way the service goes on, so what it brings is not what is there at its end.
        const detour = await startDetour(postgres.url);
        const reached = detour.pauseAfter(60_000);
        const child = spawn(ARXD, words.map((word) => word.replace(postgres.url, detour.url)), { env: cleanEnvironment(), stdio: ["ignore", "ignore", "pipe"] });
        let stderr = "";
        child.stderr.on("data", (text) => (stderr += text));
        const ended = new Promise((resolve) => child.once("close", resolve));
        await reached;
        await make(60);
        detour.resume();
        assert.equal(await ended, 1, stderr);
        assert.match(stderr, /^arxd: copy: \d+ rows are not the same any more: .*moving\.db is being written to; stop arxd there and copy once more\n$/);
        detour.close();
        await make(5);
      } else {
        const { code, stdout, stderr } = run(ARXD, words);
        assert.deepEqual([code, stderr], [0, ""], stdout);
        assert.match(stdout, /^links: 365 rows: \d+ added, 0 replaced, 0 removed$/m);
      }
    } else if (line === "systemctl stop arxd") await server.stop({ keep: true });
    else if (/^DB_PATH=postgresql:\S+ arxd$/.test(line)) server = await startServer({ db: there });
    else assert.fail(`the recipe has a line that is not known here: ${line}`);
  }
  for (const [id, payload] of made) assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, payload);
  await server.stop();
});

test("how far it is: on a terminal, and nowhere else", async () => {
  const { db } = await fill("bar.db");
  const to = fileNamed("bar-copy.db");
  const { stdout } = run("script", ["-qec", `${ARXD} copy --from ${db} --to ${to}`, "/dev/null"], { stdio: ["ignore", "pipe", "pipe"] });
  for (const doing of ["copying", "comparing"]) assert.match(stdout, new RegExp(`\\r${doing} links {4}\\[\\.{30}\\]   0 %  0 of 1502`));
  assert.match(stdout, /links: 1502 rows: 1502 added/);
  assert.deepEqual(rowsOf(to), rowsOf(db));
  assert.doesNotMatch(copied(db, to), /%/);
});

test("what it refuses: one line that names what is wrong, and nothing is touched", async () => {
  const { db } = await fill("source.db");
  const busy = await startServer({ db: fileNamed("busy.db") });
  const upstream = fileNamed("text.db");
  fs.writeFileSync(upstream, "no database, but longer than nothing, and nobody's to change\n".repeat(20));
  for (const [from, to, code, line] of [
    [fileNamed("none.db"), fileNamed("x.db"), 1, /cannot read database .*none\.db/],
    [db, db, 1, /holds links of its own/],
    [db, busy.db, 1, /busy\.db is in use by another arxd: stop that one first/],
    [db, upstream, 1, /text\.db.*not a database/],
    [db, "postgresql://arxd:secret@127.0.0.1:1/none", 1, /database postgresql:\/\/arxd@127\.0\.0\.1:1\/none cannot be reached/],
    [db, "mysql://x/y", 2, /^arxd: --to: "mysql:\/\/\.\.\." is not the path of a file or postgresql/],
    [db, "", 2, /^arxd: copy: write it as arxd copy --from DATABASE --to DATABASE\n$/],
  ]) {
    const done = copy(from, to);
    assert.equal(done.code, code, done.stderr);
    assert.match(done.stderr, line);
    assert.equal(done.stderr.trim().split("\n").length, 1, done.stderr);
    assert.ok(!done.stderr.includes("secret"));
  }
  assert.ok(!fs.existsSync(fileNamed("x.db")));
  for (const words of [["copy"], ["copy", "--from", db], ["copy", db, fileNamed("x.db")], ["copy", "--from", db, "--to", fileNamed("x.db"), "more"]])
    assert.equal(run(ARXD, words).code, 2, words.join(" "));
  await busy.stop();
});
