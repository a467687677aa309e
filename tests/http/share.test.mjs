/* POST /share: a file as it is becomes a short link. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, want } from "./calls.mjs";
import { assertError, run, startServer } from "./harness.mjs";

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const share = (body, query = "", headers = {}) => call(server, "POST", `/share${query}`, { body, headers });
/** Shares, and gives the envelope's one artifact, with the envelope's title as `envelopeTitle`. */
async function shared(body, query, headers) {
  const answer = await share(body, query, headers);
  assert.equal(answer.status, 201, answer.text);
  const envelope = await want(200, server, "GET", answer.text.trim(), { headers: { Accept: "application/json" } });
  assert.equal(envelope.artifacts.length, 1);
  return { ...envelope.artifacts[0], envelopeTitle: envelope.title };
}

test("the answer is the short URL and a line feed", async () => {
  const answer = await share("# Report\n", "?filename=report.md");
  assert.equal(answer.status, 201);
  assert.equal(answer.headers["content-type"], "text/plain; charset=utf-8");
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.match(answer.text, new RegExp(`^${server.origin}/[A-Za-z0-9_-]{22}\n$`));
  assert.equal(await want(200, server, "GET", `${answer.text.trim()}/raw`), "# Report\n");
});

test("for those who accept JSON, the object of a create", async () => {
  for (const accept of ["application/json", "application/json, text/plain;q=0.5", "application/*"]) {
    const { status, body, headers } = await share("x", "?title=T", { Accept: accept });
    assert.equal(status, 201);
    assert.match(headers.vary, /Accept/);
    const made = await server.create({ payload: "pe30" });
    assert.deepEqual(Object.keys(body).sort(), Object.keys(made).sort());
    assert.equal(body.markdown_link, `[T](${body.url})`);
    await want(200, server, "PUT", `/api/artifacts/${body.id}`, { json: { payload: "pe30" }, key: body.edit_key });
  }
  for (const accept of ["*/*", "text/plain", "text/plain, application/json", "image/png"])
    assert.match((await share("x", "", { Accept: accept })).headers["content-type"], /^text\/plain/, accept);
});

for (const [query, type, kind, language] of [
  ["", undefined, "markdown"],
  ["", "application/x-www-form-urlencoded", "markdown"],
  ["", "text/plain; charset=utf-8", "markdown"],
  ["", "application/octet-stream", "markdown"],
  ["", "text/markdown", "markdown"],
  ["", "text/csv", "csv"],
  ["", "Application/JSON; charset=utf-8", "json"],
  ["", "application/vnd.api+json", "json"],
  ["", "text/x-diff", "diff"],
  ["", "text/x-patch", "diff"],
  ["", "text/html", "code", "html"],
  ["", "text/x-python", "code", "python"],
  ["?filename=a.csv", undefined, "csv"],
  ["?filename=a.csv", "application/json", "csv"],
  ["?filename=src/main.c", undefined, "code", "c"],
  ["?filename=Makefile", undefined, "code", "makefile"],
  ["?filename=a.patch", undefined, "diff"],
  ["?filename=unknown.xyz", undefined, "markdown"],
  ["?filename=unknown.xyz", "text/csv", "csv"],
  ["?kind=csv", undefined, "csv"],
  ["?kind=markdown&filename=a.c", undefined, "markdown"],
  ["?kind=code&filename=a.c", undefined, "code", "c"],
  ["?kind=code&filename=a.c&language=cpp", undefined, "code", "cpp"],
  ["?kind=code&filename=a.md", undefined, "code"],
  ["?kind=json", "text/csv", "json"],
])
  test(`kind of ${query || "no query"}, ${type ?? "no Content-Type"}`, async () => {
    const got = await shared("1\n", query, type === undefined ? {} : { "Content-Type": type });
    assert.equal(got.kind, kind);
    assert.equal(got.language, language);
    assert.equal(got.content ?? got.patch, "1\n");
  });

test("file name and title", async () => {
  const got = await shared("x", "?filename=a%2Fb%20c.md&title=Weekly+report+%F0%9F%9A%80");
  assert.equal(got.filename, "a/b c.md");
  assert.equal(got.title, "Weekly report \u{1f680}");
  assert.equal(got.envelopeTitle, got.title);
  assert.equal(got.id, "weekly-report");
  const bare = await shared("x");
  assert.equal(bare.filename, undefined);
  assert.equal(bare.envelopeTitle, "Untitled markdown");
});

test("the text comes back as it was, whatever is in it", async () => {
  for (const text of [
    "</script><script>alert(1)</script> $& $' \u2028 \u2029 \ufeff \u0000 \u007f \ud83d\ude80\n",
    "\ufeff# with a byte order mark\r\n\r\n",
    "\u0000",
    "x".repeat(199_800),
    "\u{1f6a2}".repeat(99_900),
  ]) {
    const { text: url, status } = await share(text);
    assert.equal(status, 201, text.slice(0, 20));
    const raw = await call(server, "GET", `${url.trim()}/raw`);
    assert.ok(raw.bytes.equals(Buffer.from(text)), text.slice(0, 20));
  }
});

/* The body is the text itself: UTF-8 has no halves of surrogate pairs, so none can be cut off in it. */
test("text that is not UTF-8: 400", async () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x61, 0x80]])
    assertError(await share(Buffer.from(bytes)), 400, "The text must be UTF-8.", "invalid-text");
  assertError(await share("x", "?title=%ff"), 400, "The text must be UTF-8.", "invalid-text");
  assertError(await share("x", "?filename=%c0%af"), 400, "The text must be UTF-8.", "invalid-text");
});

test("over 200,000 units: 413; over the body limit too", async () => {
  const text = "The text exceeds the supported limit of 200,000 characters.";
  assertError(await share("x".repeat(200_001)), 413, text, "text-too-long");
  assertError(await share("\u{1f6a2}".repeat(100_001)), 413, text);
  const small = await startServer({ args: ["--max-body", "65536"] });
  const answer = await call(small, "POST", "/share", { body: "x".repeat(65_537) });
  assertError(answer, 413, "Request body too large.", "body-too-large");
  await small.stop();
});

test("text that fits, but not once it is wrapped, is refused and not stored", async () => {
  const answer = await share('"'.repeat(150_000));
  assertError(answer, 422, "The decoded payload exceeds the supported limit of 200,000 characters.", "decoded-too-large");
});

test("nothing to share", async () => {
  for (const body of ["", " \n\t"]) assertError(await share(body), 422, "Paste some content before generating a link.");
  assertError(await share(" ", "?kind=diff"), 422, "Paste a diff patch before generating a link.");
});

test("queries that are none", async () => {
  for (const query of ["?kind=image", "?kind=", "?kind=Markdown", "?ttl_seconds=5", "?ttl_seconds=", "?ttl_seconds=1e3", "?ttl_seconds=-60", "?ttl_seconds=99999999999999999999"]) {
    const answer = await share("x", query);
    assert.equal(answer.status, 400, query);
    assert.equal(answer.body.code, "invalid-request", query);
  }
  assert.equal((await share("x", "?unknown=1&kind=csv&kind=image")).status, 201, "the first counts, others are passed over");
});

test("ttl_seconds", async () => {
  const { body } = await share("x", "?ttl_seconds=90", { Accept: "application/json" });
  assert.ok(Math.abs(Date.parse(body.expires_at) - Date.now() - 90_000) < 3000, body.expires_at);
});

test("a form is told how to send a file instead", async () => {
  const answer = await share("--x\r\n\r\n# hi\r\n--x--\r\n", "", { "Content-Type": "multipart/form-data; boundary=x" });
  assert.equal(answer.status, 400);
  assert.match(answer.body.error, /--data-binary/);
});

test("with curl, as it is meant", () => {
  const made = run("sh", ["-c", `printf '# hi\\n' | curl -sS --data-binary @- '${server.origin}/share?filename=report.md'`]);
  assert.match(made.stdout, /^http:\/\/127\.0\.0\.1:\d+\/[A-Za-z0-9_-]{22}\n$/);
  assert.equal(run("curl", ["-sS", `${made.stdout.trim()}/raw`]).stdout, "# hi\n");
});

test("methods", async () => {
  const preflight = await call(server, "OPTIONS", "/share");
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers["access-control-allow-origin"], "*");
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await call(server, method, "/share");
    assert.equal(answer.status, 405);
    assert.deepEqual(answer.headers.allow.split(/, */).sort(), ["OPTIONS", "POST"]);
  }
});
