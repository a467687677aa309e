/*
 * A client written for agent-render's self-hosted server, and the database that server left behind:
 * with --open-writes both work unchanged.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { run, startServer, temporaryFolder } from "./harness.mjs";

const ISO_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const OLD = {
  live: "0b6f3e9c-6a53-4c3d-8a53-0f4d1a2b3c4d",
  expired: "1b6f3e9c-6a53-4c3d-8a53-0f4d1a2b3c4d",
  odd: "2b6f3e9c-6a53-4c3d-8a53-0f4d1a2b3c4d",
};
const HOUR = 3_600_000;
const iso = (ms) => new Date(ms).toISOString();
const now = Date.now();
const PAYLOADS = {
  live: "peyJ2IjoxLCJjb2RlYyI6InBsYWluIiwiYXJ0aWZhY3RzIjpbeyJpZCI6ImEiLCJraW5kIjoibWFya2Rvd24iLCJjb250ZW50IjoiaGkifV19",
  expired: "pe30",
  odd: "</script> $& '' \u{1f680} \u2028",
};

let server;
before(async () => {
  const folder = temporaryFolder("dropin");
  const rows = Object.entries(OLD).map(([name, id]) => {
    const expires = name === "expired" ? now - HOUR : now + 20 * HOUR;
    const at = iso(now - 4 * HOUR);
    return `INSERT INTO artifacts VALUES ('${id}', '${PAYLOADS[name].replaceAll("'", "''")}', '${at}', '${at}', '${at}', '${iso(expires)}');`;
  });
  const made = run("sqlite3", ["-batch", path.join(folder, "arxd.db")], {
    input: `PRAGMA journal_mode = WAL;
CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  payload TEXT NOT NULL,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now')),
  last_viewed_at TEXT NOT NULL DEFAULT (datetime('now')),
  expires_at TEXT NOT NULL
);
CREATE INDEX idx_artifacts_expires_at ON artifacts(expires_at);
${rows.join("\n")}
`,
  });
  assert.equal(made.code, 0, made.stderr);
  server = await startServer({ folder, args: ["--open-writes", "--db", path.join(folder, "arxd.db")] });
});
after(() => server.stop());

/** fetch() as that client calls it. */
async function ask(method, target, body) {
  const response = await server.fetch(target, {
    method,
    ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type").startsWith("application/json");
  return [response.status, isJson ? JSON.parse(text) : text];
}
const ROW = ["id", "payload", "created_at", "updated_at", "last_viewed_at", "expires_at"];
const isRow = (row) => {
  for (const name of ROW) assert.equal(typeof row[name], "string", name);
  for (const name of ROW.slice(2)) assert.match(row[name], ISO_MS, name);
};

test("rows of the old table are served as they were", async () => {
  for (const name of ["live", "odd"]) {
    const [status, row] = await ask("GET", `/api/artifacts/${OLD[name]}`);
    assert.equal(status, 200, JSON.stringify(row));
    isRow(row);
    assert.equal(row.payload, PAYLOADS[name]);
    assert.equal(row.created_at, iso(now - 4 * HOUR));
    assert.equal(row.asset_set, null);
  }
  assert.deepEqual(await ask("GET", `/api/artifacts/${OLD.expired}`), [404, { error: "Artifact not found or expired.", code: "artifact-not-found" }]);
  const page = await (await server.fetch(`/${OLD.live}`)).text();
  assert.ok(page.includes(PAYLOADS.live));
  assert.equal(await (await server.fetch(`/${OLD.live}/raw`)).text(), "hi");
});

test("its requests have its answers", async () => {
  const [created, { id, expires_at }] = await ask("POST", "/api/artifacts", { payload: "peyJ4IjoxfQ" });
  assert.equal(created, 201);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(expires_at, ISO_MS);

  const [read, row] = await ask("GET", `/api/artifacts/${id}`);
  assert.equal(read, 200);
  isRow(row);
  assert.equal(row.payload, "peyJ4IjoxfQ");

  const [put, changed] = await ask("PUT", `/api/artifacts/${id}`, { payload: "dsomething" });
  assert.equal(put, 200);
  isRow(changed);
  assert.equal(changed.payload, "dsomething");
  assert.equal(changed.created_at, row.created_at);

  const error = ([status, body]) => [status, body.error];
  assert.deepEqual(await ask("DELETE", `/api/artifacts/${id}`), [200, { deleted: true }]);
  assert.deepEqual(error(await ask("DELETE", `/api/artifacts/${id}`)), [404, "Artifact not found."]);
  assert.deepEqual(await ask("POST", "/api/cleanup"), [200, { deleted: 0 }]);
  assert.deepEqual(error(await ask("GET", `/api/artifacts/${id}`)), [404, "Artifact not found or expired."]);
  assert.deepEqual(error(await ask("PUT", `/api/artifacts/${id}`, { payload: "d" })), [404, "Artifact not found or expired."]);
  assert.deepEqual(error(await ask("PATCH", `/api/artifacts/${OLD.live}`, {})), [405, "Method not allowed."]);
  assert.deepEqual(await ask("GET", "/nope"), [404, "Not found"]);
  assert.deepEqual(error(await ask("POST", "/api/artifacts", {})), [400, "Payload must be a string."]);
  assert.deepEqual(error(await ask("POST", "/api/artifacts", { payload: "" })), [400, "Payload must not be empty."]);
  assert.deepEqual(error(await ask("POST", "/api/artifacts", { payload: "a".repeat(500_001) })), [
    400,
    "Payload exceeds the maximum allowed length of 500,000 characters.",
  ]);
});

test("old rows can be changed and removed", async () => {
  const [status, row] = await ask("PUT", `/api/artifacts/${OLD.odd}`, { payload: "pe31" });
  assert.equal(status, 200);
  assert.equal(row.payload, "pe31");
  assert.equal(row.created_at, iso(now - 4 * HOUR));
  assert.deepEqual(await ask("DELETE", `/api/artifacts/${OLD.odd}`), [200, { deleted: true }]);
});

test("a second start finds everything in place; without --open-writes old rows are nobody's", async () => {
  await server.stop({ keep: true });
  server = await startServer({ folder: server.folder, args: ["--db", path.join(server.folder, "arxd.db")] });
  assert.equal((await ask("GET", `/api/artifacts/${OLD.live}`))[0], 200);
  assert.equal((await ask("PUT", `/api/artifacts/${OLD.live}`, { payload: "pe30" }))[0], 401);
  assert.equal((await ask("DELETE", `/api/artifacts/${OLD.live}`))[0], 401);
});
