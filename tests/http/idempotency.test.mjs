/* Idempotency-Key: what is sent again is answered as before, and done once. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, dump, hexOf, note, sql, want } from "./calls.mjs";
import { assertError, startServer, temporaryFolder, until } from "./harness.mjs";

const digest = (text) => createHash("sha256").update(text).digest("hex");
let server, guarded;
before(async () => {
  server = await startServer();
  const folder = temporaryFolder("tokens");
  fs.writeFileSync(path.join(folder, "tokens"), `a create ${digest("t-a")}\nb create ${digest("t-b")}\n`);
  guarded = await startServer({ folder, args: ["--tokens", path.join(folder, "tokens")] });
});
after(async () => {
  await server.stop();
  await guarded.stop();
});

let counter = 0;
const freshKey = () => `test-key-${String(counter++).padStart(8, "0")}`;
const rows = (on = server) => Number(sql(on.db, "SELECT count(*) FROM artifacts;"));
const send = (target, options, key, on = server) =>
  call(on, "POST", target, { ...options, headers: { "Idempotency-Key": key, ...options.headers } });

const ROUTES = [
  ["/api/artifacts, a payload", "/api/artifacts", { json: { payload: "pe30" } }, 201],
  ["/api/artifacts, an envelope", "/api/artifacts", { json: { envelope: note("once", { title: "T" }) } }, 201],
  ["/share", "/share?filename=a.md", { body: "# once\n" }, 201],
  ["/share as JSON", "/share?filename=a.md", { body: "# once\n", headers: { Accept: "application/json" } }, 201],
  ["/encode with store", "/encode", { json: { envelope: note("once"), store: true } }, 200],
];
for (const [name, target, options, status] of ROUTES)
  test(`${name}: the same again has the same answer and makes nothing`, async () => {
    const key = freshKey();
    const first = await send(target, options, key);
    assert.equal(first.status, status, first.text);
    const before = rows();
    for (let i = 0; i < 3; i++) {
      const again = await send(target, options, key);
      assert.equal(again.status, status);
      assert.equal(again.text, first.text);
      assert.equal(again.headers["content-type"], first.headers["content-type"]);
    }
    assert.equal(rows(), before);
    const other = await send(target, options, freshKey());
    assert.equal(other.status, status);
    assert.notEqual(other.text, first.text);
    assert.equal(rows(), before + 1);
  });

test("the edit key that is told again works, whatever became of the row", async () => {
  const key = freshKey();
  const options = { json: { payload: "pe30" } };
  await send("/api/artifacts", options, key);
  const { body, text } = await send("/api/artifacts", options, key);
  await want(200, server, "PUT", `/api/artifacts/${body.id}`, { json: { payload: "pe31", ttl_seconds: 60 }, key: body.edit_key });
  assert.equal((await send("/api/artifacts", options, key)).text, text);
  await want(200, server, "DELETE", `/api/artifacts/${body.id}`, { key: body.edit_key });
  assert.equal((await send("/api/artifacts", options, key)).text, text);
});

test("the same key with anything else: 409", async () => {
  const key = freshKey();
  await send("/api/artifacts", { json: { payload: "pe30" } }, key);
  const before = rows();
  for (const [target, options] of [
    ["/api/artifacts", { json: { payload: "pe31" } }],
    ["/api/artifacts", { body: '{ "payload":"pe30"}' }],
    ["/api/artifacts", { body: "{" }],
    ["/api/artifacts?x", { json: { payload: "pe30" } }],
    ["/share", { json: { payload: "pe30" } }],
    ["/encode", { json: { envelope: note("x"), store: true } }],
    ["/encode", { json: { envelope: note("x"), async: true } }],
  ])
    assertError(await send(target, options, key), 409, "The Idempotency-Key was used for another request.", "idempotency-key-used");
  assert.equal(rows(), before);
});

test("what was refused is not remembered", async () => {
  const key = freshKey();
  assert.equal((await send("/api/artifacts", { json: { payload: "" } }, key)).status, 400);
  assert.equal((await send("/api/artifacts", { json: { payload: "zzz", validate: true } }, key)).status, 422);
  assert.equal((await send("/api/artifacts", { json: { payload: "pe30" } }, key)).status, 201);
});

test("keys that are too short or too long", async () => {
  const text = "An Idempotency-Key has 16 to 255 characters, or 1 to 255 with a token.";
  for (const key of ["x", "x".repeat(15), "x".repeat(256), "x".repeat(5000)])
    assertError(await send("/api/artifacts", { json: { payload: "a" } }, key), 400, text, "invalid-idempotency-key");
  for (const key of ["y".repeat(16), "y".repeat(255), '"in quotes, with spaces"'])
    assert.equal((await send("/api/artifacts", { json: { payload: "a" } }, key)).status, 201, key);
  assert.equal((await send("/api/artifacts", { json: { payload: "a" }, key: "t-a" }, "1", guarded)).status, 201, "one is enough with a token");
});

test("the key is one of whoever sends it", async () => {
  const options = { json: { payload: "pe30" } };
  const a = await send("/api/artifacts", { ...options, key: "t-a" }, "job-1", guarded);
  const b = await send("/api/artifacts", { ...options, key: "t-b" }, "job-1", guarded);
  assert.equal(a.status, 201);
  assert.notEqual(a.body.id, b.body.id);
  assert.equal((await send("/api/artifacts", { ...options, key: "t-a" }, "job-1", guarded)).text, a.text);
  assert.equal((await send("/api/artifacts", { json: { payload: "other" }, key: "t-b" }, "job-1", guarded)).status, 409);
  assert.equal((await send("/api/artifacts", options, "job-1-and-more-characters", guarded)).status, 401, "a key is no token");
});

test("the same at once makes one", async () => {
  for (const [, target, options, status] of ROUTES) {
    const key = freshKey();
    const before = rows();
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(target, options, key)));
    for (const answer of answers) assert.equal(answer.status, status, answer.text);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, target);
    assert.equal(rows(), before + 1, target);
  }
});

test("an encode nobody waits for is queued once", async () => {
  const key = freshKey();
  const options = { json: { envelope: note("later"), store: true }, headers: { Prefer: "respond-async" } };
  const before = rows();
  const answers = await Promise.all(Array.from({ length: 6 }, () => send("/encode", options, key)));
  for (const { status, headers, body } of answers) {
    assert.equal(status, 202);
    assert.equal(headers.location, `${server.origin}/encode/jobs/${body.job}`);
    assert.equal(body.job, answers[0].body.job);
  }
  await until(async () => (await server.getJson(`/encode/jobs/${answers[0].body.job}`)).status === "done", "the job's end");
  assert.equal(rows(), before + 1);
  assert.equal((await send("/encode", options, key)).text, answers[0].text);
  assert.equal(rows(), before + 1);
});

test("of those who wait and those who do not, all are told what the first was", async () => {
  for (let round = 0; round < 12; round++) {
    const key = freshKey();
    const before = rows();
    const json = { envelope: note(`mixed ${round}`), store: true };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        send("/encode", { json, headers: (i + round) % 2 ? { Prefer: "respond-async" } : {} }, key),
      ),
    );
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1, answers.map(({ text }) => text.slice(0, 80)).join("\n"));
    const { status, body } = answers[0];
    assert.ok(status === 200 ? body.artifact.id : status === 202 && body.job, answers[0].text);
    await until(() => rows() === before + 1, "the one link");
  }
});

test("records outlive a restart, and hold neither key nor edit key", async () => {
  const own = await startServer();
  const key = "a-very-recognisable-idempotency-key";
  const options = { json: { envelope: note("x") } };
  const first = await send("/api/artifacts", options, key, own);
  const stored = dump(own.db).toLowerCase();
  const { edit_key, id } = first.body;
  assert.ok(stored.includes(hexOf(id).toLowerCase()), "the dump shows rows");
  for (const secret of [key, edit_key]) {
    assert.ok(!stored.includes(secret.toLowerCase()), secret);
    assert.ok(!stored.includes(Buffer.from(secret).toString("hex")), secret);
  }
  await own.stop({ keep: true });
  const again = await startServer({ folder: own.folder });
  assert.equal((await send("/api/artifacts", options, key, again)).text, first.text);
  await again.stop();
});

test("after a kill the same request makes the link, or tells of it", async () => {
  let own = await startServer();
  const keys = [];
  const loops = Array.from({ length: 4 }, async (_, worker) => {
    for (let i = 0; ; i++) {
      const key = `kill-test-${worker}-${String(i).padStart(6, "0")}`;
      keys.push(key);
      const made = await send("/api/artifacts", { json: { payload: key } }, key, own).catch(() => null);
      if (made?.status !== 201) return;
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await own.kill();
  await Promise.all(loops);
  own = await startServer({ folder: own.folder });
  for (const key of keys.slice(-8)) {
    const { status, body } = await send("/api/artifacts", { json: { payload: key } }, key, own);
    assert.equal(status, 201);
    assert.equal((await own.getJson(`/api/artifacts/${body.id}`)).payload, key);
    const count = sql(own.db, `SELECT count(*) FROM artifacts WHERE payload = '${key}';`);
    assert.equal(count, "1", key);
  }
  await own.stop();
});
