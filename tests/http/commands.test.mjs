/* What the operator does beside a running server: `arxd delete`; and 410 with --gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, expire, note, UNKNOWN_ID, want } from "./calls.mjs";
import { ARXD, assertError, run, startServer } from "./harness.mjs";

const remove = (server, id, ...more) => run(ARXD, ["delete", id, "--db", server.db, ...more]);

test("arxd delete removes a link, whoever made it, also while the server runs", async () => {
  const server = await startServer();
  const kept = await server.create("pe30");
  const long = await server.create({ envelope: note("x") });
  const short = await server.create("pe31");
  await server.request("GET", `/${long.id}/raw`);
  for (const id of [long.id.toUpperCase(), short.short_url.split("/").at(-1)]) {
    if (id.startsWith("--")) continue; // would be a flag; the long form does it
    const { code, stdout, stderr } = remove(server, id);
    assert.deepEqual([code, stdout, stderr], [0, "", ""]);
  }
  for (const target of [`/api/artifacts/${long.id}`, `/${long.id}`, `/${long.id}/raw`])
    assert.equal((await server.request("GET", target)).status, 404, target);
  await server.getJson(`/api/artifacts/${kept.id}`);
  await server.create("pe32");
  await server.stop({ keep: true });
  assert.deepEqual(remove(server, kept.id).code, 0, "with the server gone too");
  const again = await startServer({ folder: server.folder });
  assert.equal((await again.request("GET", `/api/artifacts/${kept.id}`)).status, 404);
  await again.stop();
});

test("arxd delete of what is not there", async () => {
  const server = await startServer();
  const missing = remove(server, UNKNOWN_ID);
  assert.equal(missing.code, 1);
  assert.ok(missing.stderr.includes(UNKNOWN_ID), missing.stderr);
  assert.equal(missing.stderr.trim().split("\n").length, 1);
  for (const args of [["delete"], ["delete", "x"], ["delete", UNKNOWN_ID, UNKNOWN_ID], ["remove", UNKNOWN_ID]]) {
    const { code, stderr } = run(ARXD, [...args, "--db", server.db]);
    assert.equal(code, 2, args.join(" "));
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
  const nowhere = run(ARXD, ["delete", UNKNOWN_ID, "--db", `${server.folder}/none.db`]);
  assert.equal(nowhere.code, 1);
  assert.ok(nowhere.stderr.includes("none.db"), nowhere.stderr);
  await server.stop();
});

test("--gone: 410 for a day after deletion or expiry", async () => {
  const server = await startServer({ args: ["--gone"] });
  const deleted = await server.create({ envelope: note("x") });
  const expired = await server.create({ envelope: note("y") });
  const longAgo = await server.create({ envelope: note("y") });
  const spent = await server.create({ envelope: note("z"), max_views: 1 });
  await want(200, server, "DELETE", `/api/artifacts/${deleted.id}`, { key: deleted.edit_key });
  expire(server.db, expired.id, Date.now() - 1000);
  expire(server.db, longAgo.id, Date.now() - 25 * 3_600_000);
  await want(200, server, "GET", `/api/artifacts/${spent.id}`);
  for (const { id, edit_key } of [deleted, expired, spent]) {
    assertError(await call(server, "GET", `/api/artifacts/${id}`), 410, "Artifact not found or expired.", "artifact-gone");
    const page = await call(server, "GET", `/${id}`);
    assert.equal(page.status, 410);
    assert.match(page.text, /Artifact not found/);
    assert.match(page.text, /This artifact has expired or does not exist\./);
    assert.equal((await call(server, "GET", `/${id}/raw`)).status, 410);
    assert.equal((await call(server, "HEAD", `/api/artifacts/${id}`)).status, 410);
    assertError(await call(server, "PUT", `/api/artifacts/${id}`, { json: { payload: "a" }, key: edit_key }), 410, "Artifact not found or expired.");
  }
  assert.equal((await call(server, "GET", `/api/artifacts/${longAgo.id}`)).status, 404);
  assertError(await call(server, "DELETE", `/api/artifacts/${deleted.id}`, { key: deleted.edit_key }), 404, "Artifact not found.");
  assertError(await call(server, "GET", `/api/artifacts/${UNKNOWN_ID}`), 404, "Artifact not found or expired.");
  await server.stop({ keep: true });
  const without = await startServer({ folder: server.folder });
  assertError(await call(without, "GET", `/api/artifacts/${deleted.id}`), 404, "Artifact not found or expired.");
  await without.stop();
});
