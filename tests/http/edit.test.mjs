/* Changing and removing links: PUT, DELETE, edit keys, lifetimes, cleanup. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, dump, expire, note, UNKNOWN_ID, want } from "./calls.mjs";
import { assertError, sleep, startServer, until } from "./harness.mjs";

let server, open;
before(async () => {
  server = await startServer();
  open = await startServer({ args: ["--open-writes"] });
});
after(async () => {
  await server.stop();
  await open.stop();
});

const row = (id, on = server) => on.getJson(`/api/artifacts/${id}`);

test("the 201 has an edit key; the database has not", async () => {
  const keys = new Set();
  for (let i = 0; i < 20; i++) {
    const { id, edit_key } = await server.create("pe30");
    assert.match(edit_key, /^[A-Za-z0-9_-]{22}$/);
    keys.add(edit_key);
    assert.ok(!JSON.stringify(await row(id)).includes(edit_key), "a reader does not see it");
  }
  assert.equal(keys.size, 20);
  const stored = dump(server.db);
  for (const key of keys) {
    assert.ok(!stored.includes(key));
    assert.ok(!stored.toLowerCase().includes(Buffer.from(key).toString("hex")));
    assert.ok(!stored.toLowerCase().includes(Buffer.from(key, "base64url").toString("hex")));
  }
});

test("PUT replaces the payload and moves updated_at and expires_at, nothing else", async () => {
  const { id, edit_key } = await server.create({ envelope: note("# One\n", { title: "One" }), ttl_seconds: 7200 });
  const first = await row(id);
  await sleep(20);
  const now = Date.now();
  const answer = await want(200, server, "PUT", `/api/artifacts/${id}`, { json: { envelope: note("# Two\n", { title: "Two" }) }, key: edit_key });
  assert.deepEqual(Object.keys(answer).sort(), Object.keys(first).sort());
  assert.notEqual(answer.payload, first.payload);
  assert.equal(answer.title, "Two");
  assert.equal(answer.id, id);
  assert.equal(answer.created_at, first.created_at);
  assert.ok(answer.last_viewed_at <= first.last_viewed_at, "PUT is no view");
  assert.ok(Date.parse(answer.updated_at) >= now - 1);
  assert.equal(answer.ttl_seconds, 7200, "a lifetime that is not named stays");
  assert.ok(Math.abs(Date.parse(answer.expires_at) - now - 7200_000) < 2000, answer.expires_at);
  assert.equal(await want(200, server, "GET", `/${id}/raw`), "# Two\n");
});

test("the body of the old version is not served after a PUT", async () => {
  const { id, edit_key } = await server.create({ envelope: note("0") });
  for (let i = 1; i <= 20; i++) {
    assert.equal(await want(200, server, "GET", `/${id}/raw`), String(i - 1));
    await want(200, server, "PUT", `/api/artifacts/${id}`, { json: { envelope: note(String(i)) }, key: edit_key });
  }
});

test("PUT with a ready payload forgets what was known of the old one", async () => {
  const { id, edit_key } = await server.create({ envelope: note("x", { title: "T" }) });
  const answer = await want(200, server, "PUT", `/api/artifacts/${id}`, { json: { payload: "#pe30" }, key: edit_key });
  assert.equal(answer.payload, "pe30");
  assert.equal(answer.codec, "plain");
  assert.equal(answer.asset_set, null);
  assert.equal(answer.kind, null);
  assert.equal(answer.title, null);
});

test("PUT changes ttl_seconds, sliding and max_views when they are named", async () => {
  const { id, edit_key } = await server.create({ payload: "pe30", sliding: false });
  const put = (more) => want(200, server, "PUT", `/api/artifacts/${id}`, { json: { payload: "pe30", ...more }, key: edit_key });
  assert.equal((await put({ ttl_seconds: 60 })).ttl_seconds, 60);
  assert.equal((await put({})).ttl_seconds, 60);
  const fixed = (await put({})).expires_at;
  await sleep(20);
  assert.equal((await row(id)).expires_at, fixed, "it does not slide");
  const sliding = await put({ sliding: true });
  await sleep(20);
  assert.ok((await row(id)).expires_at > sliding.expires_at, "now it does");
  await put({ max_views: 1 });
  assert.equal((await row(id)).views > 0, true);
  assertError(await call(server, "GET", `/api/artifacts/${id}`), 404, "Artifact not found or expired.");
});

test("PUT validates the body before it looks for the row", async () => {
  const target = `/api/artifacts/${UNKNOWN_ID}`;
  assertError(await call(server, "PUT", target, { body: "{" }), 400, "Invalid request body.");
  assertError(await call(server, "PUT", target, { body: "[]" }), 400, "Payload must be a string.");
  assertError(await call(server, "PUT", target, { json: { payload: "" } }), 400, "Payload must not be empty.");
  assertError(
    await call(server, "PUT", target, { json: { payload: "a".repeat(500_001) } }),
    400,
    "Payload exceeds the maximum allowed length of 500,000 characters.",
  );
  const undecodable = await call(server, "PUT", target, { json: { payload: "zzz", validate: true } });
  assert.equal(undecodable.status, 422);
  assertError(await call(server, "PUT", target, { json: { payload: "pe30" } }), 404, "Artifact not found or expired.");
  const { id } = await server.create("pe30");
  assertError(await call(server, "PUT", `/api/artifacts/${id}`, { body: "{" }), 400, "Invalid request body.");
});

test("a key that is wrong or missing: 401 that says how", async () => {
  const { id, edit_key } = await server.create("pe30");
  const other = await server.create("pe31");
  const flipped = (edit_key[0] === "A" ? "B" : "A") + edit_key.slice(1);
  const authorizations = [
    undefined,
    `Bearer ${other.edit_key}`,
    `Bearer ${flipped}`,
    `Bearer ${edit_key}x`,
    `Bearer ${edit_key.slice(0, -1)}`,
    "Bearer ",
    "Bearer",
    `Basic ${edit_key}`,
    edit_key,
    `Bearer ${edit_key} ${edit_key}`,
    `Bearer ${edit_key},`,
    `Bearer${edit_key}`,
    `Bearer ${id}`,
  ];
  for (const authorization of authorizations)
    for (const [method, options] of [["PUT", { json: { payload: "pe32" } }], ["DELETE", {}]]) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const answer = await call(server, method, `/api/artifacts/${id}`, { ...options, headers });
      assertError(answer, 401, "Unauthorized.", "unauthorized");
      assert.equal(answer.headers["www-authenticate"], "Bearer", `${method} ${authorization}`);
      assert.equal(answer.headers["access-control-allow-origin"], "*");
    }
  assert.equal((await row(id)).payload, "pe30");
  for (const scheme of ["bearer", "BEARER"])
    await want(200, server, "PUT", `/api/artifacts/${id}`, { json: { payload: "pe33" }, headers: { Authorization: `${scheme}  ${edit_key}` } });
});

test("DELETE", async () => {
  const { id, edit_key } = await server.create({ envelope: note("x") });
  await server.request("GET", `/${id}/raw`); // the body is cached
  const gone = await call(server, "DELETE", `/api/artifacts/${id}`, { key: edit_key });
  assert.equal(gone.status, 200);
  assert.equal(gone.text, '{"deleted":true}');
  assertError(await call(server, "DELETE", `/api/artifacts/${id}`, { key: edit_key }), 404, "Artifact not found.");
  assertError(await call(server, "GET", `/api/artifacts/${id}`), 404, "Artifact not found or expired.");
  for (const target of [`/${id}`, `/${id}/raw`]) assert.equal((await server.request("GET", target)).status, 404);
  assertError(await call(server, "PUT", `/api/artifacts/${id}`, { json: { payload: "a" }, key: edit_key }), 404, "Artifact not found or expired.");
  assertError(await call(server, "DELETE", `/api/artifacts/${UNKNOWN_ID}`), 404, "Artifact not found.");
});

test("DELETE takes expired rows too, but not from anybody", async () => {
  const { id, edit_key } = await server.create("pe30");
  expire(server.db, id);
  assertError(await call(server, "DELETE", `/api/artifacts/${id}`), 401, "Unauthorized.");
  assertError(await call(server, "PUT", `/api/artifacts/${id}`, { json: { payload: "a" }, key: edit_key }), 404, "Artifact not found or expired.");
  assert.deepEqual(await want(200, server, "DELETE", `/api/artifacts/${id}`, { key: edit_key }), { deleted: true });
});

test("short ids name the same rows", async () => {
  const { id, short_url, edit_key } = await server.create("pe30");
  const short = short_url.split("/").at(-1);
  assert.equal((await want(200, server, "PUT", `/api/artifacts/${short}`, { json: { payload: "pe31" }, key: edit_key })).id, id);
  await want(200, server, "DELETE", `/api/artifacts/${short}`, { key: edit_key });
});

test("cleanup counts what it removed, and anyone may call it", async () => {
  await want(200, server, "POST", "/api/cleanup");
  const made = [];
  for (let i = 0; i < 5; i++) made.push(await server.create("pe30"));
  for (const { id } of made.slice(1)) expire(server.db, id);
  const answer = await call(server, "POST", "/api/cleanup", { body: "" });
  assert.equal(answer.status, 200);
  assert.equal(answer.text, '{"deleted":4}');
  assert.equal((await call(server, "POST", "/api/cleanup", { body: "whatever" })).text, '{"deleted":0}');
  await row(made[0].id);
  assertError(await call(server, "GET", "/api/cleanup"), 405, "Method not allowed.");
});

test("--open-writes: nobody needs a key", async () => {
  const { id } = await open.create("pe30");
  assert.equal((await want(200, open, "PUT", `/api/artifacts/${id}`, { json: { payload: "pe31" } })).payload, "pe31");
  assert.equal((await want(200, open, "PUT", `/api/artifacts/${id}`, { json: { payload: "pe32" }, key: "wrong" })).payload, "pe32");
  assert.deepEqual(await want(200, open, "DELETE", `/api/artifacts/${id}`), { deleted: true });
});

test("ttl_seconds", async () => {
  for (const ttl_seconds of [60, 61, 3600, 8760 * 3600, null]) {
    const now = Date.now();
    const made = await server.create({ payload: "pe30", ttl_seconds });
    const seconds = ttl_seconds ?? 24 * 3600;
    assert.ok(Math.abs(Date.parse(made.expires_at) - now - seconds * 1000) < 2000, `${ttl_seconds}: ${made.expires_at}`);
    assert.equal((await row(made.id)).ttl_seconds, seconds);
  }
  for (const ttl_seconds of [0, 59, -1, 60.5, "60", true, [], 8760 * 3600 + 1, 1e15]) {
    const answer = await server.post("/api/artifacts", { payload: "pe30", ttl_seconds });
    assert.equal(answer.status, 400, `${ttl_seconds}`);
    assert.match(answer.body.error, /ttl_seconds/);
    assert.equal(answer.body.code, "invalid-request");
  }
});

test("sliding false: a read moves nothing but the count", async () => {
  const made = await server.create({ payload: "pe30", sliding: false });
  await sleep(20);
  const first = await row(made.id);
  assert.equal(first.expires_at, made.expires_at);
  await until(async () => (await row(made.id)).views >= 2, "views to be counted");
  assert.equal((await row(made.id)).expires_at, made.expires_at);
});

test("options that are none", async () => {
  for (const options of [
    { sliding: "yes" },
    { sliding: 1 },
    { max_views: 0 },
    { max_views: 1_000_001 },
    { max_views: 1.5 },
    { max_views: "3" },
    { asset_set: 5 },
    { asset_set: "0123456789abcdef" },
    { validate: "yes" },
  ]) {
    const answer = await server.post("/api/artifacts", { payload: "pe30", ...options });
    assert.equal(answer.status, 400, JSON.stringify(options));
    assert.ok(["invalid-request", "unknown-asset-set"].includes(answer.body.code), answer.text);
  }
  assert.equal((await server.post("/api/artifacts", { payload: "pe30", envelope: note("x") })).status, 400);
});

test("validate: a payload that does not decode is not stored", async () => {
  const { body } = await server.post("/encode", { envelope: note("fine") });
  const made = await server.create({ payload: body.fragment, validate: true });
  assert.equal((await row(made.id)).kind, "markdown", "what was decoded is described");
  for (const [payload, code] of [["zzz", "invalid-format"], ["pe30", "invalid-envelope"], ["p%%%", "invalid-json"]]) {
    const answer = await server.post("/api/artifacts", { payload, validate: true });
    assert.equal(answer.status, 422, payload);
    assert.equal(answer.body.code, code, payload);
  }
});

test("an envelope whose text no viewer takes is not stored", async () => {
  const answer = await server.post("/api/artifacts", { envelope: note("x".repeat(200_001)) });
  assertError(answer, 422, "The decoded payload exceeds the supported limit of 200,000 characters.", "decoded-too-large");
});

test("asset_set names the set of a ready payload, and the one to encode with", async () => {
  const { active } = await server.getJson("/assets/index.json");
  const { body } = await server.post("/encode", { envelope: note("x"), codec: "arx5" });
  const ready = await server.create({ payload: body.fragment, asset_set: active });
  assert.equal((await row(ready.id)).asset_set, active);
  const encoded = await server.create({ envelope: note("x"), asset_set: active, codec: "arx2" });
  assert.equal((await row(encoded.id)).asset_set, active);
  const plain = await server.create({ payload: "pe30", asset_set: active });
  assert.equal((await row(plain.id)).asset_set, null, "plain is coded with none");
});

test("two PUTs at once leave one of the two, whole", async () => {
  const { id, edit_key } = await server.create({ envelope: note("start") });
  const bodies = Array.from({ length: 12 }, (_, i) => `version ${i} ${"x".repeat(i * 50)}`);
  const answers = await Promise.all(
    bodies.map((content) => call(server, "PUT", `/api/artifacts/${id}`, { json: { envelope: note(content) }, key: edit_key })),
  );
  for (const { status } of answers) assert.equal(status, 200);
  const updates = answers.map(({ body }) => body.updated_at);
  assert.equal(new Set(updates).size, updates.length, "no two versions share their time");
  assert.ok(bodies.includes(await want(200, server, "GET", `/${id}/raw`)));
});
