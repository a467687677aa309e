/* arxd backup, restore, check and stats: beside a server at work, and on what it left behind. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { call, expire, note, sql, want } from "./calls.mjs";
import { ARXD, cleanEnvironment, freePort, run, startServer, temporaryFolder, until } from "./harness.mjs";

const arxd = (db, ...args) => run(ARXD, [...args, "--db", db]);
function done({ code, stdout, stderr }) {
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  return stdout;
}
function refused({ code, stdout, stderr }, pattern, status = 1) {
  assert.equal(code, status, stderr);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  assert.match(stderr, pattern);
  return stdout;
}
const digest = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");

/** The same program, without waiting for it. */
const start = (...args) => {
  const child = spawn(ARXD, args, { env: cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (bytes) => (output += bytes));
  child.stderr.on("data", (bytes) => (output += bytes));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
};

test("a backup taken during 1,000 POSTs has every link that was answered before it began", async () => {
  const server = await startServer();
  const folder = temporaryFolder("backup");
  const file = path.join(folder, "copy.db");
  const answered = [];
  const content = (i) => `${i} `.repeat(400);
  let begun, before;
  let next = 0;
  const post = async () => {
    for (let i = next++; i < 1000; i = next++) {
      const { status, body } = await server.post("/api/artifacts", { payload: `p${content(i)}` });
      assert.equal(status, 201);
      answered.push([body.id, i]);
      if (answered.length === 400) {
        before = answered.slice();
        begun = start("backup", file, "--db", server.db);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, post));
  assert.deepEqual(await begun, { code: 0, output: "" });
  assert.equal(answered.length, 1000);
  await server.stop();

  const other = path.join(folder, "arxd.db");
  assert.equal(done(arxd(other, "restore", file)), "", "nothing was there to be kept");
  const restored = await startServer({ folder });
  for (const [id, i] of before) assert.equal((await restored.getJson(`/api/artifacts/${id}`)).payload, `p${content(i)}`);
  assert.match(done(arxd(other, "check")), /the database is sound\n$/);
  assert.ok(Number(/^links (\d+)$/m.exec(done(arxd(other, "stats")))[1]) >= 400);
  await restored.stop();
});

test("backup, check and stats change nothing, not even a log that waits to be emptied", async () => {
  const server = await startServer();
  await server.create({ envelope: note("kept") });
  await server.kill();
  const files = ["", "-wal"].map((suffix) => server.db + suffix);
  assert.ok(fs.statSync(files[1]).size > 0, "a crash leaves a log");
  const was = files.map(digest);
  const copy = path.join(server.folder, "copy.db");
  done(arxd(server.db, "backup", copy));
  done(arxd(server.db, "check"));
  done(arxd(server.db, "stats"));
  assert.deepEqual(files.map(digest), was);
  // what stood in the log alone is in the copy
  assert.equal(sql(copy, "SELECT count(*) FROM artifacts;"), "1");
  fs.rmSync(server.folder, { recursive: true });
});

test("a backup is its owner's alone, whole or not there, and never takes another file's place", async () => {
  const server = await startServer();
  await server.create("pe30");
  const file = path.join(server.folder, "copy.db");
  fs.writeFileSync(`${file}.part`, "of a backup that was killed");
  done(arxd(server.db, "backup", file));
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.ok(!fs.existsSync(`${file}.part`));
  const was = digest(file);
  refused(arxd(server.db, "backup", file), /copy\.db is there already/);
  assert.equal(digest(file), was);
  refused(arxd(server.db, "backup", path.join(server.folder, "no/such/folder.db")), /no\/such\/folder\.db/);
  refused(arxd(path.join(server.folder, "none.db"), "backup", path.join(server.folder, "x.db")), /none\.db/);
  fs.writeFileSync(path.join(server.folder, "text.db"), "x".repeat(8192));
  refused(arxd(path.join(server.folder, "text.db"), "backup", path.join(server.folder, "x.db")), /text\.db/);
  run("sqlite3", [path.join(server.folder, "other.db"), "CREATE TABLE x (y);"]);
  refused(arxd(path.join(server.folder, "other.db"), "backup", path.join(server.folder, "x.db")), /not one of arxd's/);
  refused(run(ARXD, ["backup", "x", "--db", "postgresql://u:secret@h/d"]), /for postgres: use PostgreSQL.s pg_dump/);
  refused(run(ARXD, ["backup"]), /arxd backup FILE/, 2);
  assert.ok(!fs.existsSync(path.join(server.folder, "x.db")));
  await server.stop();
});

test("restore: only when the server is stopped; what was there is kept", async () => {
  const server = await startServer();
  const first = await server.create("pe30");
  const file = path.join(server.folder, "copy.db");
  done(arxd(server.db, "backup", file));
  const second = await server.create("pe31");
  refused(arxd(server.db, "restore", file), /in use by an arxd: stop it first/);
  await server.getJson(`/api/artifacts/${second.id}`);
  await server.stop({ keep: true });

  fs.chmodSync(server.db, 0o640);
  const [, kept] = /^what was there is kept as (.*)\n$/.exec(done(arxd(server.db, "restore", file)));
  assert.equal(fs.statSync(server.db).mode & 0o777, 0o640, "it is as accessible as what it replaces");
  let again = await startServer({ folder: server.folder });
  await again.getJson(`/api/artifacts/${first.id}`);
  await again.getJson(`/api/artifacts/${second.id}`, 404);
  await again.stop({ keep: true });

  // and back: what was kept is a database like any other
  done(arxd(server.db, "restore", kept));
  again = await startServer({ folder: server.folder });
  await again.getJson(`/api/artifacts/${second.id}`);
  await again.stop();
});

test("restore over a database that is damaged and left a log behind", async () => {
  const server = await startServer();
  const made = await server.create({ envelope: note("precious") });
  const file = path.join(server.folder, "copy.db");
  done(arxd(server.db, "backup", file));
  await server.create("pe31");
  await server.kill();
  assert.ok(fs.statSync(`${server.db}-wal`).size > 0);
  fs.writeFileSync(server.db, Buffer.alloc(20_000, 7));
  const [, kept] = /kept as (.*)\n$/.exec(done(arxd(server.db, "restore", file)));
  assert.ok(fs.existsSync(`${kept}-wal`), "its log went with it");
  const again = await startServer({ folder: server.folder });
  assert.equal(await (await again.fetch(`/${made.id}/raw`)).text(), "precious");
  await assert.rejects(again.getJson(`/api/artifacts/${made.id}x`));
  await again.stop();
});

test("restore of what is no backup leaves everything as it is", async () => {
  const server = await startServer();
  const made = await server.create("pe30");
  const file = path.join(server.folder, "copy.db");
  done(arxd(server.db, "backup", file));
  await server.stop({ keep: true });
  const was = digest(server.db);
  const text = path.join(server.folder, "text");
  fs.writeFileSync(text, "x".repeat(9000));
  const newer = path.join(server.folder, "newer.db");
  fs.copyFileSync(file, newer);
  sql(newer, "PRAGMA user_version = 1000;");
  const damaged = path.join(server.folder, "damaged.db");
  const bytes = fs.readFileSync(file);
  bytes.fill(0xff, 3 * 4096 + 8, 4 * 4096);
  fs.writeFileSync(damaged, bytes);
  for (const [wrong, pattern] of [[text, /text/], [newer, /version 1000/], [damaged, /damaged/], [path.join(server.folder, "none"), /none/]])
    refused(arxd(server.db, "restore", wrong), pattern);
  assert.equal(digest(server.db), was);
  assert.deepEqual(fs.readdirSync(server.folder).filter((name) => /replaced|restore/.test(name)), []);
  const again = await startServer({ folder: server.folder });
  await again.getJson(`/api/artifacts/${made.id}`);
  await again.stop();
});

test("check: links that cannot be read, sets that are not loaded, halves of rows, damaged pages", async () => {
  const server = await startServer();
  const good = await server.create({ envelope: note("good") });
  assert.equal(done(arxd(server.db, "check")), "1 links: 0 orphaned, 0 cannot be decoded; the database is sound\n");

  // a client may store what it likes: told, but no fault
  const odd = await server.create({ payload: "zzz" });
  let said = done(arxd(server.db, "check"));
  assert.ok(said.includes(`link ${odd.id.slice(0, 6)}...: cannot be decoded: invalid-format\n`), said);
  assert.match(said, /^2 links: 0 orphaned, 1 cannot be decoded; the database is sound$/m);
  assert.ok(!said.includes(odd.id), "ids are cut short");
  await server.stop({ keep: true });

  sql(server.db, "UPDATE asset_sets SET id = '0123456789abcdef';");
  said = arxd(server.db, "check");
  assert.equal(said.code, 1);
  assert.ok(said.stdout.includes(`link ${good.id.slice(0, 6)}...: orphaned, not loaded is its asset set 0123456789abcdef\n`), said.stdout);
  assert.match(said.stdout, /^2 links: 1 orphaned/m);

  sql(server.db, "DELETE FROM lifetimes WHERE row = 1; INSERT INTO lifetimes (row, expires_at, last_viewed_at, ttl, sliding, views, max_views, views_left) VALUES (77, 1, 1, 1, 1, 0, 0, 0);");
  said = arxd(server.db, "check");
  assert.equal(said.code, 1);
  assert.match(said.stdout, /^damaged: row 1 of artifacts has no lifetime$/m);
  assert.match(said.stdout, /^damaged: row 77 of lifetimes has no artifact$/m);
  assert.match(said.stdout, /the database is damaged\n$/);

  const root = Number(sql(server.db, "SELECT rootpage FROM sqlite_schema WHERE name = 'notes_owner';"));
  const bytes = fs.readFileSync(server.db);
  bytes.fill(0xee, (root - 1) * 4096, (root - 1) * 4096 + 200);
  fs.writeFileSync(server.db, bytes);
  said = arxd(server.db, "check");
  assert.equal(said.code, 1, said.stderr);
  assert.equal(said.stderr, "");
  assert.match(said.stdout, new RegExp(`^damaged: Page ${root}: `, "m"));
  assert.match(said.stdout, /^1 links: .*the database is damaged$/m, "the rest was looked over all the same");
  fs.rmSync(server.folder, { recursive: true });
});

test("stats counts what there is", async () => {
  const server = await startServer();
  const made = await server.create({ envelope: note("one"), codec: "deflate" });
  await server.create({ envelope: note("two"), codec: "deflate", max_views: 3 });
  const old = await server.create({ payload: "zzz" });
  await want(200, server, "GET", `/api/artifacts/${made.id}`);
  await call(server, "POST", "/api/artifacts", { json: { payload: "pe30" }, headers: { "Idempotency-Key": "0123456789abcdef" } });
  await server.stop({ keep: true });
  expire(server.db, old.id);
  const lines = done(arxd(server.db, "stats")).trim().split("\n");
  const numbers = Object.fromEntries(lines.map((line) => {
    assert.match(line, /^[a-z0-9_]+ \d+$/);
    const [name, number] = line.split(" ");
    return [name, Number(number)];
  }));
  const some = { links: 3, links_expired: 1, links_view_limited: 1, links_by_tokens: 0, views: 1, requests_remembered: 1, links_codec_deflate: 2, links_kind_markdown: 2, links_asset_set_none: 4 };
  for (const [name, number] of Object.entries(some)) assert.equal(numbers[name], number, name);
  assert.equal(numbers.file_bytes, numbers.pages * 4096);
  assert.ok(numbers.payload_bytes > 6);
  fs.rmSync(server.folder, { recursive: true });
});

test("--backups: one of each start and of the day, which is what can be restored", async () => {
  const folder = temporaryFolder("kept");
  const kept = path.join(folder, "backups");
  const metrics = await freePort();
  const args = ["--backups", kept, "--metrics-listen", `127.0.0.1:${metrics}`];
  let server = await startServer({ folder, args });
  const made = await server.create("pe30");
  const names = () => fs.readdirSync(kept).sort();
  await until(() => names().length > 0, "the day's backup");
  assert.match(names().join(), /^day-\d{8}\.db$/, "at the first start there was nothing to lose");
  await server.stop({ keep: true });
  server = await startServer({ folder, args });
  const [, start] = names();
  assert.match(start, /^start-\d{8}T\d{6}Z\.db$/, "it is there before the server is");
  const scrape = () => fetch(`http://127.0.0.1:${metrics}/metrics`).then((answer) => answer.text(), () => ""); // it listens last
  const shown = await until(scrape, "the metrics");
  assert.match(shown, /^arxd_backups_total\{outcome="done"\} 1$/m);
  assert.match(shown, /^arxd_backups_total\{outcome="failed"\} 0$/m);
  await want(200, server, "DELETE", `/api/artifacts/${made.id}`, { key: made.edit_key });
  await server.stop({ keep: true });
  done(arxd(server.db, "restore", path.join(kept, start)));
  server = await startServer({ folder, env: { ARXD_BACKUPS: kept } });
  await server.getJson(`/api/artifacts/${made.id}`);
  await server.stop();
});

test("--backups: a folder that cannot be had stops the start, a backup that fails does not", async () => {
  const folder = temporaryFolder("kept");
  fs.writeFileSync(path.join(folder, "file"), "");
  for (const [name, more] of [["file", []], ["no/such", []], ["x", ["--db", "postgresql://u:secret@127.0.0.1:1/none"]]]) {
    const said = run(ARXD, ["--port", "0", "--db", path.join(folder, "x.db"), "--backups", path.join(folder, name), ...more]);
    refused(said, more.length ? /pg_dump/ : new RegExp(`${name} as uid .*--backups`), 2);
  }
  // a database of another server, which is about to be taken over, is no backup of arxd's
  run("sqlite3", [path.join(folder, "arxd.db"), "CREATE TABLE artifacts (id TEXT PRIMARY KEY, payload TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')), last_viewed_at TEXT NOT NULL DEFAULT (datetime('now')), expires_at TEXT NOT NULL);"]);
  const server = await startServer({ folder, args: ["--backups", path.join(folder, "backups")] });
  assert.match(server.output, /^\S+ error no backup: database .*arxd\.db is not one of arxd's\n$/);
  server.output = "";
  await until(() => fs.readdirSync(path.join(folder, "backups")).length === 1, "the day's backup");
  await server.stop();
});
