/* The built page's files: every one, in every encoding, with the headers a browser goes by. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import zlib from "node:zlib";
import { call } from "./calls.mjs";
import { pageManifest, ROOT, startServer } from "./harness.mjs";

const { files } = pageManifest();
const PAGE = path.join(ROOT, "build/page");
const DECODE = { br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync, identity: (bytes) => bytes };
const SCRIPT_CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
/** Filled in by the server, and shown under other addresses. */
const served = files.filter(({ path: target }) => target !== "/notice");

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const get = (target, headers = {}) => call(server, "GET", target, { headers });

test("each file in each encoding, validated and kept as it may be", async () => {
  assert.ok(served.length > 10);
  for (const { path: target, file, type, immutable, sizes } of served) {
    const bytes = fs.readFileSync(path.join(PAGE, file));
    for (const encoding of ["identity", "br", "gzip"]) {
      const packed = encoding !== "identity" && sizes[encoding] !== undefined;
      const what = `${target} ${encoding}`;
      const answer = await get(target, { "Accept-Encoding": encoding });
      assert.equal(answer.status, 200, what);
      assert.equal(answer.headers["content-encoding"], packed ? encoding : undefined, what);
      assert.equal(answer.bytes.length, packed ? sizes[encoding] : sizes.identity, what);
      assert.ok(DECODE[packed ? encoding : "identity"](answer.bytes).equals(bytes), what);
      assert.equal(answer.headers["content-type"], type, what);
      assert.equal(answer.headers["cache-control"], immutable ? "public, max-age=31536000, immutable" : "no-cache", what);
      assert.equal(answer.headers["x-content-type-options"], "nosniff", what);
      assert.equal(answer.headers["access-control-allow-origin"], immutable ? "*" : undefined, what);
      assert.equal(/accept-encoding/i.test(answer.headers.vary ?? ""), sizes.br !== undefined || sizes.gzip !== undefined, what);
      const again = await get(target, { "Accept-Encoding": encoding, "If-None-Match": answer.headers.etag });
      assert.equal(again.status, 304, what);
      assert.equal(again.bytes.length, 0, what);
      assert.equal(again.headers["cache-control"], answer.headers["cache-control"], what);
    }
    const head = await call(server, "HEAD", target);
    assert.equal(head.headers["content-length"], String(bytes.length), target);
  }
});

test("policies: pages with trusted types, the diagrams' frame without, scripts what they may as workers", async () => {
  const policyOf = async (target) => (await get(target)).headers["content-security-policy"];
  const viewer = await policyOf("/");
  assert.match(viewer, /script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types arxd dompurify$/);
  assert.equal(await policyOf("/diagram"), viewer.slice(0, viewer.indexOf("; require-trusted-types-for")));
  for (const { path: target, type } of served)
    if (!type.startsWith("text/html"))
      assert.equal(await policyOf(target), type.startsWith("text/javascript") ? SCRIPT_CSP : undefined, target);
});

test("names that are none", async () => {
  for (const target of [
    "/notice", "/index.html", "/page", "/page/", "/page/nope.mjs", "/page/..%2fsecurity", `${served.find(({ immutable }) => immutable).path}.br`,
    `/page/${"a".repeat(5000)}`, "/page/a/b", "/security.html",
  ]) {
    const answer = await get(target);
    assert.equal(answer.status, 404, target);
    assert.equal(answer.headers["cache-control"], "no-store", target);
    assert.match(answer.headers["content-type"], /^text\/plain/, target);
  }
});

test("below a path of --public-url, pages start there", async () => {
  const own = await startServer({ args: ["--public-url", "https://links.example/base"] });
  const plain = (await get("/")).text;
  assert.equal(plain.split('<base href="/">').length, 2);
  for (const target of ["/", "/diagram"]) {
    const wanted = (await get(target)).text.replace('<base href="/">', '<base href="/base/">');
    for (const encoding of ["identity", "br", "gzip"]) {
      const answer = await call(own, "GET", target, { headers: { "Accept-Encoding": encoding } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["content-encoding"] ?? "identity", encoding);
      assert.equal(DECODE[encoding](answer.bytes).toString(), wanted, target);
    }
  }
  const { id } = await own.create("pe30");
  const page = (await call(own, "GET", `/${id}`)).text;
  assert.match(page, /<base href="\/base\/">/);
  assert.match(page, new RegExp(` data-url="/base/${id}"`));
  const missing = await call(own, "GET", "/AAAAAAAAAAAAAAAAAAAAAA");
  assert.match(missing.text, /<base href="\/base\/">/);
  await own.stop();
});
