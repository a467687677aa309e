/* GET /<uuid>: the page, the text or the envelope, as the client accepts; and what previews see. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, note, UNKNOWN_ID, want } from "./calls.mjs";
import { startServer } from "./harness.mjs";

let server, id, envelope;
before(async () => {
  server = await startServer();
  envelope = {
    v: 1,
    codec: "plain",
    title: "Bundle <b>",
    activeArtifactId: "b",
    artifacts: [
      { id: "a", kind: "markdown", content: "# a secret\n" },
      { id: "b", kind: "code", content: "int b; // <\u{1f680}>\n", filename: "b.c", language: "c" },
    ],
  };
  ({ id } = await server.create({ envelope }));
});
after(() => server.stop());

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

for (const [accept, type] of [
  [undefined, HTML],
  ["", HTML],
  ["*/*", HTML],
  ["text/html", HTML],
  ["text/*", HTML],
  ["TEXT/HTML", HTML],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", HTML],
  ["text/markdown, text/html", HTML],
  ["application/json, text/plain, */*", HTML],
  ["text/markdown", MARKDOWN],
  ["text/markdown, text/plain", MARKDOWN],
  ["text/plain, text/markdown;q=0.9", TEXT],
  ["text/plain", TEXT],
  ["text/plain;q=0.5, application/json;q=0.4", TEXT],
  ["text/html;q=0.5, text/plain", TEXT],
  ["text/html;q=0, text/*", MARKDOWN],
  ["application/json", JSON_TYPE],
  ["application/*", JSON_TYPE],
  ["application/json;q=0.9, text/html;q=0.8", JSON_TYPE],
  ["text/html;q=0, */*", MARKDOWN],
  ["image/png", HTML],
  ["nonsense", HTML],
  ["application/json;q=nonsense, text/plain;q=0.1", TEXT],
])
  test(`Accept: ${accept}`, async () => {
    const headers = accept === undefined ? {} : { Accept: accept };
    const answer = await call(server, "GET", `/${id}`, { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], type);
    assert.match(answer.headers.vary, /\bAccept\b/);
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(answer.headers["x-robots-tag"], "noindex");
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
    if (type === HTML) assert.match(answer.text, /data-payload="/);
    if (type === TEXT || type === MARKDOWN) {
      assert.equal(answer.text, envelope.artifacts[1].content);
      assert.equal(answer.headers["content-security-policy"], "sandbox; default-src 'none'");
    }
    if (type === JSON_TYPE) {
      assert.deepEqual(answer.body.artifacts, envelope.artifacts);
      assert.equal(answer.body.activeArtifactId, "b");
      assert.equal(answer.body.title, envelope.title);
    }
    const head = await call(server, "HEAD", `/${id}`, { headers });
    for (const name of ["content-type", "content-length", "vary", "content-disposition"])
      assert.equal(head.headers[name], answer.headers[name], name);
  });

test("what is missing is said in the form that was asked for", async () => {
  for (const [accept, type, has] of [
    ["text/html", HTML, "This artifact has expired or does not exist."],
    ["text/markdown", TEXT, "Artifact not found or expired"],
    ["application/json", JSON_TYPE, '"code":"artifact-not-found"'],
  ]) {
    const answer = await call(server, "GET", `/${UNKNOWN_ID}`, { headers: { Accept: accept } });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers["content-type"], type);
    assert.ok(answer.text.includes(has), answer.text);
    assert.match(answer.headers.vary, /\bAccept\b/);
  }
});

test("a payload that does not decode has a page, and 422 in other forms", async () => {
  const made = await server.create("zzz");
  assert.equal((await call(server, "GET", `/${made.id}`)).status, 200);
  for (const accept of ["text/plain", "application/json"])
    assert.equal((await call(server, "GET", `/${made.id}`, { headers: { Accept: accept } })).status, 422, accept);
});

test("the head tells previews title and kind, and nothing of the content", async () => {
  const { text } = await call(server, "GET", `/${id}`, { headers: { Accept: "text/html" } });
  const head = text.slice(0, text.indexOf("<h1>"));
  assert.match(head, /<title>Bundle &lt;b&gt; /);
  assert.match(head, /<meta property="og:title" content="Bundle &lt;b&gt;">/);
  assert.match(head, /<meta property="og:description" content="A source file\.">/);
  assert.ok(!head.includes("secret") && !head.includes("int b"));
});

test("every kind has its description; a link nobody has read yet has none of its own", async () => {
  const descriptions = new Set();
  for (const kind of ["markdown", "code", "diff", "csv", "json"]) {
    const content = kind === "diff" ? { patch: "--- a\n+++ b\n" } : { content: "1" };
    const made = await server.create({ envelope: { v: 1, codec: "plain", artifacts: [{ id: "x", kind, ...content }] } });
    const { text } = await call(server, "GET", `/${made.id}`);
    descriptions.add(/property="og:description" content="([^"]+)"/.exec(text)[1]);
  }
  assert.equal(descriptions.size, 5);
  const { body } = await server.post("/encode", { envelope: note("x", { title: "Unread" }) });
  const made = await server.create(body.fragment);
  const first = await call(server, "GET", `/${made.id}`);
  assert.match(first.text, /og:title" content="Artifact"/);
  await want(200, server, "GET", `/${made.id}`, { headers: { Accept: "application/json" } });
  let page;
  for (let i = 0; i < 200 && !page?.includes("Unread"); i++) page = (await call(server, "GET", `/${made.id}`)).text;
  assert.match(page, /og:title" content="Unread"/);
});
