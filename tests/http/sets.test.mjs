/*
 * sets.test.mjs - what becomes of links when asset sets change: a stored row is read with the set it
 * was made with, a row that does not say is tried with each, and a set that rows need must be there.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ARXD, envelopeNamed, freePort, REFERENCE_ASSETS, ROOT, run, startServer, vectors } from "./harness.mjs";

const TEST_SET = path.join(ROOT, "tests/vectors/assets");
const reference = { skip: !REFERENCE_ASSETS && "ARX_UPSTREAM_ASSETS is not set" };

const ENVELOPE = {
  v: 1,
  codec: "plain",
  title: "Two sets",
  artifacts: [{ id: "a", kind: "markdown", content: "# Summary\n\nThe **deployment** went through.\n\n- [x] tests\n- [ ] docs\n" }],
};
const body = ({ id }, server) => server.fetch(`/${id}/raw`).then((response) => response.text());
const activeOf = async (server) => (await server.getJson("/assets/index.json")).active;

test("a stored row keeps its set when the active one changes, and new rows get the new one", async () => {
  const first = await startServer();
  const builtIn = await activeOf(first);
  const rows = {};
  for (const codec of ["arx", "arx2", "arx3", "arx4", "arx5"]) rows[codec] = await first.create({ envelope: ENVELOPE, codec });
  await first.stop({ keep: true });

  const second = await startServer({ folder: first.folder, args: ["--assets", TEST_SET] });
  const active = await activeOf(second);
  assert.notEqual(active, builtIn);
  for (const [codec, row] of Object.entries(rows)) {
    const stored = await second.getJson(`/api/artifacts/${row.id}`);
    assert.equal(stored.asset_set, builtIn, codec);
    assert.equal(await body(row, second), ENVELOPE.artifacts[0].content, codec);
    const decoded = await second.post("/decode", { fragment: stored.payload, assetSet: stored.asset_set });
    assert.deepEqual(decoded.body.envelope.artifacts, ENVELOPE.artifacts, codec);
    assert.equal(decoded.body.assetSet, builtIn, codec);
  }
  const fresh = await second.create({ envelope: ENVELOPE, codec: "arx5" });
  const stored = await second.getJson(`/api/artifacts/${fresh.id}`);
  assert.equal(stored.asset_set, active);
  assert.notEqual(stored.payload, (await second.getJson(`/api/artifacts/${rows.arx5.id}`)).payload);
  await second.stop({ keep: true });

  // without the test set, its one row would be orphaned: refused, with the set and the number
  const args = ["--host", "127.0.0.1", "--port", String(await freePort()), "--db", second.db, "--log", "text:error"];
  const refused = run(ARXD, args);
  assert.equal(refused.code, 2, refused.stderr);
  assert.match(refused.stderr, new RegExp(`${active}.*\\b1\\b|\\b1\\b.*${active}`));
  assert.equal(refused.stderr.trim().split("\n").length, 1, "one line");

  // --compat brings it back, for reading
  const third = await startServer({ folder: second.folder, args: ["--compat", TEST_SET] });
  assert.equal(await activeOf(third), builtIn);
  assert.equal(await body(fresh, third), ENVELOPE.artifacts[0].content);
  assert.equal(await body(rows.arx5, third), ENVELOPE.artifacts[0].content);
  await third.stop();
});

test("a PUT of an envelope stores the active set with it", async () => {
  const first = await startServer();
  const row = await first.create({ envelope: ENVELOPE, codec: "arx5" });
  await first.stop({ keep: true });
  const second = await startServer({ folder: first.folder, args: ["--assets", TEST_SET] });
  const changed = await second.fetch(`/api/artifacts/${row.id}`, {
    method: "PUT",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${row.edit_key}` },
    body: JSON.stringify({ envelope: ENVELOPE, codec: "arx5" }),
  });
  assert.equal(changed.status, 200);
  assert.equal((await changed.json()).asset_set, await activeOf(second));
  assert.equal(await body(row, second), ENVELOPE.artifacts[0].content);
  await second.stop();
});

test("a payload that does not say its set is tried with each, and orphans nothing", reference, async () => {
  const maker = await startServer({ args: ["--assets", REFERENCE_ASSETS] });
  const { body: made } = await maker.post("/encode", { envelope: ENVELOPE, codec: "arx5" });
  await maker.stop();

  const server = await startServer({ args: ["--compat", REFERENCE_ASSETS] });
  const row = await server.create(made.fragment);
  assert.equal((await server.getJson(`/api/artifacts/${row.id}`)).asset_set, null);
  assert.equal(await body(row, server), ENVELOPE.artifacts[0].content);
  await server.stop({ keep: true });
  const without = await startServer({ folder: server.folder });
  assert.equal((await without.getJson(`/api/artifacts/${row.id}`)).payload, made.fragment);
  await without.stop();
});

test("with --compat, fragments made with the reference set decode, and say so", reference, async () => {
  const server = await startServer({ args: ["--compat", REFERENCE_ASSETS] });
  const { sets } = await server.getJson("/assets/index.json");
  const set = sets[sets.length - 1];
  let tried = 0;
  for (const { name, arx5Fragment } of vectors("arx5.json").rows) {
    const fragment = arx5Fragment.fragment?.text;
    if (fragment === undefined) continue; // recorded by its hash alone
    const { status, body: decoded, text } = await server.post("/decode", { fragment, skipFragmentBudget: true, assetSet: set });
    assert.equal(status, 200, `${name}: ${text}`);
    assert.equal(decoded.assetSet, set, name);
    assert.deepEqual(decoded.envelope.artifacts, envelopeNamed(name).artifacts, name);
    tried++;
  }
  assert.ok(tried >= 50, `${tried} fragments`);
  await server.stop();
});
