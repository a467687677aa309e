/* /encode with a link beside the fragment, and /encode for those who do not wait. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, note, sql, UNKNOWN_ID, want } from "./calls.mjs";
import { assertError, startServer, until } from "./harness.mjs";

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** A markdown artifact that takes the codecs a while. */
const heavy = (words = 12_000, seed = 0) => ({
  kind: "markdown",
  content: Array.from({ length: words }, (_, i) => `w${((i + seed) * 7919) % 99_991}`).join(" "),
});

async function finished(job, on = server) {
  return until(async () => {
    const state = await on.getJson(`/encode/jobs/${job}`);
    return ["done", "failed", "cancelled"].includes(state.status) && state;
  }, "the job's end", 60_000);
}
const later = (json, on = server, headers = {}) => call(on, "POST", "/encode", { json: { async: true, ...json }, headers });

/* ---- store ---- */

test("store: the result and the link, which shows the same", async () => {
  const plain = await want(200, server, "POST", "/encode", { json: { artifact: { kind: "code", filename: "a.c", content: "int a;\n" } } });
  const { artifact, ...rest } = await want(200, server, "POST", "/encode", {
    json: { artifact: { kind: "code", filename: "a.c", content: "int a;\n" }, store: true },
  });
  assert.deepEqual(rest, plain);
  const made = await server.create("pe30");
  assert.deepEqual(Object.keys(artifact).sort(), Object.keys(made).sort());
  const row = await server.getJson(`/api/artifacts/${artifact.id}`);
  assert.equal(row.payload, plain.fragment);
  assert.equal(row.asset_set, plain.assetSet);
  assert.equal(row.kind, "code");
  assert.equal(row.title, "a.c");
  assert.equal(await want(200, server, "GET", artifact.raw_url), "int a;\n");
  await want(200, server, "DELETE", `/api/artifacts/${artifact.id}`, { key: artifact.edit_key });
});

test("store takes the options of a create", async () => {
  const envelope = note("x");
  const { active } = await server.getJson("/assets/index.json");
  const { artifact } = await want(200, server, "POST", "/encode", {
    json: { envelope, store: true, ttl_seconds: 90, sliding: false, max_views: 1, asset_set: active, codec: "deflate" },
  });
  assert.ok(Math.abs(Date.parse(artifact.expires_at) - Date.now() - 90_000) < 3000);
  assert.equal(artifact.codec, "deflate");
  await want(200, server, "GET", `/api/artifacts/${artifact.id}`);
  await want(404, server, "GET", `/api/artifacts/${artifact.id}`);
  for (const options of [{ ttl_seconds: 5 }, { sliding: 1 }, { max_views: 0 }, { asset_set: 7 }, { asset_set: "0123456789abcdef" }]) {
    const before = sql(server.db, "SELECT count(*) FROM artifacts;");
    assert.equal((await call(server, "POST", "/encode", { json: { envelope, store: true, ...options } })).status, 400, JSON.stringify(options));
    assert.equal(sql(server.db, "SELECT count(*) FROM artifacts;"), before);
    await want(200, server, "POST", "/encode", { json: { envelope, ...options } }); // without store they mean nothing
  }
  for (const options of [{ store: "yes" }, { store: 1 }, { async: "no" }])
    assert.equal((await call(server, "POST", "/encode", { json: { envelope, ...options } })).status, 400, JSON.stringify(options));
  for (const options of [{ store: false }, { store: null }, { async: false }])
    assert.equal("artifact" in (await want(200, server, "POST", "/encode", { json: { envelope, ...options } })), false);
});

test("what is too long for a fragment link goes into a short one", async () => {
  const { artifact, ...rest } = await want(200, server, "POST", "/encode", { json: { artifact: heavy(20_000), store: true } });
  assert.equal(rest.fitsFragmentBudget, false);
  assert.equal(await want(200, server, "GET", artifact.raw_url), heavy(20_000).content);
});

test("text no viewer takes: a warning, and no link", async () => {
  const artifact = { kind: "markdown", content: "x".repeat(200_001) };
  const got = await want(200, server, "POST", "/encode", { json: { artifact } });
  assert.match(got.warnings.join(), /200,000/);
  assertError(
    await call(server, "POST", "/encode", { json: { artifact, store: true } }),
    422,
    "The decoded payload exceeds the supported limit of 200,000 characters.",
  );
  const job = await later({ artifact, store: true });
  const state = await finished(job.body.job);
  assert.equal(state.status, "failed");
  assert.equal(state.code, "decoded-too-large");
});

test("mended text is told in both places", async () => {
  const answer = await call(server, "POST", "/encode", { body: '{"artifact":{"kind":"markdown","content":"cut \\ud83d"},"store":true}' });
  assert.equal(answer.body.warnings.length, 1);
  assert.deepEqual(answer.body.artifact.warnings, answer.body.warnings);
});

/* ---- jobs ---- */

test("Prefer: respond-async, or async: 202 and where to ask", async () => {
  const json = { artifact: { kind: "markdown", content: "# hi\n" } };
  const sync = await want(200, server, "POST", "/encode", { json });
  for (const [options, applied] of [
    [{ json, headers: { Prefer: "respond-async" } }, "respond-async"],
    [{ json, headers: { Prefer: "wait=5, Respond-Async; x=y" } }, "respond-async"],
    [{ json: { ...json, async: true } }, undefined],
    [{ json: { ...json, async: false }, headers: { Prefer: "respond-async" } }, "respond-async"],
  ]) {
    const answer = await call(server, "POST", "/encode", options);
    assert.equal(answer.status, 202);
    assert.deepEqual(Object.keys(answer.body).sort(), ["job", "status"]);
    assert.equal(answer.body.status, "queued");
    assert.match(answer.body.job, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(answer.headers.location, `${server.origin}/encode/jobs/${answer.body.job}`);
    assert.equal(answer.headers["preference-applied"], applied);
    const state = await finished(answer.body.job);
    assert.deepEqual(state, { job: answer.body.job, status: "done", progress: 100, result: sync });
    const head = await call(server, "HEAD", answer.headers.location);
    assert.equal(head.status, 200);
    assert.ok(Number(head.headers["content-length"]) > 100);
  }
  const other = await call(server, "POST", "/encode", { json, headers: { Prefer: "return=minimal, no-respond-async" } });
  assert.equal(other.status, 200);
});

test("a job that stores has its link in the result", async () => {
  const { body } = await later({ envelope: note("later"), store: true, ttl_seconds: 60 });
  const { status, result } = await finished(body.job);
  assert.equal(status, "done");
  assert.equal(await want(200, server, "GET", result.artifact.raw_url), "later");
  await want(200, server, "DELETE", `/api/artifacts/${result.artifact.id}`, { key: result.artifact.edit_key });
});

test("jobs are seen going: queued, running with progress, done", async () => {
  const own = await startServer({ args: ["--workers", "1"] });
  const first = await later({ artifact: heavy(20_000) }, own);
  const second = await later({ artifact: heavy(100, 7) }, own);
  const seen = new Set();
  let last = 0;
  await until(async () => {
    const one = await own.getJson(`/encode/jobs/${first.body.job}`);
    const two = await own.getJson(`/encode/jobs/${second.body.job}`);
    seen.add(`first ${one.status}`).add(`second ${two.status}`);
    if (one.status === "running") {
      assert.ok(Number.isInteger(one.progress) && one.progress >= last && one.progress <= 100, JSON.stringify(one));
      last = one.progress;
    }
    return one.status === "done" && two.status === "done";
  }, "both jobs", 60_000);
  assert.ok(seen.has("first running"), [...seen].join());
  assert.ok(seen.has("second queued"), [...seen].join());
  await own.stop();
});

test("DELETE cancels what has not ended, and leaves what has", async () => {
  const own = await startServer({ args: ["--workers", "1"] });
  const before = sql(own.db, "SELECT count(*) FROM artifacts;");
  const first = await later({ artifact: heavy(20_000) }, own);
  const queued = await later({ artifact: heavy(20_000, 1), store: true }, own);
  for (let i = 0; i < 2; i++) {
    const state = await want(200, own, "DELETE", `/encode/jobs/${queued.body.job}`);
    assert.deepEqual(state, { job: queued.body.job, status: "cancelled" });
  }
  await want(200, own, "DELETE", `/encode/jobs/${first.body.job}`);
  const state = await finished(first.body.job, own);
  assert.ok(["cancelled", "done"].includes(state.status), state.status);
  const third = await later({ envelope: note("x") }, own);
  await finished(third.body.job, own);
  assert.equal((await want(200, own, "DELETE", `/encode/jobs/${third.body.job}`)).status, "done");
  assert.equal(sql(own.db, "SELECT count(*) FROM artifacts;"), before, "a cancelled job stores nothing");
  await own.stop();
});

test("jobs that are not there", async () => {
  for (const id of [UNKNOWN_ID, "AAAAAAAAAAAAAAAAAAAAAA"])
    for (const method of ["GET", "DELETE"])
      assertError(await call(server, method, `/encode/jobs/${id}`), 404, "Job not found or no longer kept.", "job-not-found");
  for (const target of ["/encode/jobs/x", "/encode/jobs", "/encode/x"]) {
    const answer = await call(server, "GET", target);
    assert.equal(answer.status, 404, target);
    assert.match(answer.headers["content-type"], /json/);
  }
  const answer = await call(server, "POST", `/encode/jobs/${UNKNOWN_ID}`);
  assert.equal(answer.status, 405);
  assert.deepEqual(answer.headers.allow.split(/, */).sort(), ["DELETE", "GET", "HEAD", "OPTIONS"]);
  assert.equal((await call(server, "OPTIONS", `/encode/jobs/${UNKNOWN_ID}`)).status, 204);
});

test("what cannot be encoded is refused at once", async () => {
  assertError(await call(server, "POST", "/encode", { body: "{", headers: { Prefer: "respond-async" } }), 400, "Invalid request body.");
  assert.equal((await later({ envelope: {} })).status, 422);
  assert.equal((await later({ envelope: note("x"), codecPriority: [] })).status, 422);
});

test("a full queue: 503, and nothing is left behind", async () => {
  const own = await startServer({ args: ["--workers", "1", "--queue", "2", "--encode-deadline", "300000"] });
  const answers = [];
  for (let i = 0; i < 12; i++) answers.push(await later({ artifact: heavy(20_000, i) }, own));
  const busy = answers.filter(({ status }) => status === 503);
  assert.ok(busy.length > 0 && answers.some(({ status }) => status === 202));
  for (const answer of busy) {
    assert.equal(answer.body.code, "busy");
    assert.ok(Number(answer.headers["retry-after"]) >= 1);
  }
  for (const { status, body } of answers) if (status === 202) assert.equal((await finished(body.job, own)).status, "done");
  await own.stop();
});

test("a job that takes too long fails by its deadline", async () => {
  const own = await startServer({ args: ["--workers", "1", "--encode-deadline", "100"] });
  const made = [];
  for (let i = 0; i < 8; i++) made.push(await later({ artifact: heavy(20_000, i) }, own));
  const states = await Promise.all(made.map(({ body }) => finished(body.job, own)));
  const late = states.filter(({ status }) => status === "failed");
  assert.ok(late.length > 0, JSON.stringify(states.map(({ status }) => status)));
  for (const state of late) assert.equal(state.code, "deadline");
  await own.stop();
});

test("SIGTERM with jobs under way", async () => {
  for (const grace of ["1", "60000"]) {
    const own = await startServer({ args: ["--workers", "1", "--shutdown-grace", grace] });
    for (let i = 0; i < 5; i++) await later({ artifact: heavy(15_000, i), store: i % 2 === 0 }, own);
    await own.stop();
  }
});
