/*
 * native.test.mjs - the page's codec and the `arx` tool say the same: whole results, not only
 * fragments, and errors of broken fragments too.
 *
 * Brotli and deflate are other implementations here, so their bytes may differ: then the lengths
 * are compared, and everything that does not depend on the bytes.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createCodec } from "../../static/viewer/codec/client.mjs";
import { startWorker } from "./node-worker.mjs";
import { PAGE, ROOT, serve } from "./serve.mjs";

const ARX = path.resolve(ROOT, process.env.ARX ?? "build/release/arx");
const ASSETS = path.join(ROOT, "tests/vectors/assets");
const { envelopes } = JSON.parse(fs.readFileSync(path.join(ROOT, "tests/vectors/codec/envelopes.json"), "utf8"));
const manifest = JSON.parse(fs.readFileSync(path.join(PAGE, "manifest.json"), "utf8"));
const workerUrl = pathToFileURL(path.join(PAGE, manifest.entries["codec/worker.mjs"]));

let server, codec;
before(async () => {
  server = await serve();
  codec = createCodec({ workerUrl, assetsBase: `${server.origin}/sets/test/`, startWorker });
});
after(async () => {
  codec.close();
  await server.stop();
});

/** Runs a batch through the tool: one result a request. */
function native(command, requests) {
  const { stdout, stderr, status } = spawnSync(ARX, [command, "--jsonl", "--assets", ASSETS], {
    input: requests.map((request) => JSON.stringify(request)).join("\n"),
    encoding: "utf8",
    maxBuffer: 256 << 20,
  });
  assert.equal(status, 0, stderr);
  const results = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(results.length, requests.length);
  return results;
}

/** The same answer in the tool's form. */
const settled = (promise) =>
  promise.then(
    (result) => ({ ok: true, ...result }),
    (error) => ({ ok: false, code: error.code, message: error.message }),
  );

const REQUESTS = [
  ...envelopes.flatMap(({ envelope }) => ["plain", "lz", "arx4", "arx5"].map((codec) => ({ envelope, codec }))),
  ...envelopes.slice(0, 12).flatMap(({ envelope }) => [
    { envelope, codec: "arx5", prior: "n", baseUrl: "https://bücher.example/a b?q#x" },
    { envelope, codecPriority: ["lz", "plain"], preferPacked: false, targetMaxFragmentLength: 100, label: "a [b] \\" },
    { envelope, codec: "arx4", budgetByTransport: true, baseUrl: "https://example.org" },
  ]),
  { envelope: {} },
  { artifact: { kind: "markdown", content: "" } },
  { artifact: { kind: "image", content: "x" } },
  { envelope: envelopes[0].envelope, codec: "zip" },
  { envelope: envelopes[0].envelope, codecPriority: [] },
  { envelope: envelopes[0].envelope, baseUrl: "not a url" },
  { artifact: { kind: "code", content: "x", filename: "a.b.ts", title: " İ K " } },
];

test("encode results without Brotli and deflate are the same to the byte", async () => {
  const wanted = native("encode", REQUESTS);
  for (const [i, request] of REQUESTS.entries()) {
    const got = await settled(codec.encode(request));
    // the automatic choice lists candidates of other encoders
    if (!request.codec && !request.codecPriority && got.ok) {
      assert.deepEqual({ ...got, candidates: 0 }, { ...wanted[i], candidates: 0 });
      continue;
    }
    assert.equal(JSON.stringify(got), JSON.stringify(wanted[i]), JSON.stringify(request).slice(0, 200));
  }
});

for (const name of ["arx", "arx2", "arx3", "deflate"])
  test(`${name} made here is read by the tool and no longer than its own`, async (t) => {
    const requests = envelopes.map(({ envelope }) => ({ envelope, codec: name }));
    const theirs = native("encode", requests);
    const ours = [];
    for (const request of requests) ours.push(await codec.encode(request));
    const measure = name === "arx3" ? "visibleLength" : "transportLength";
    const total = (results) => results.reduce((sum, result) => sum + result[measure], 0);
    const same = ours.filter(({ fragment }, i) => fragment === theirs[i].fragment).length;
    t.diagnostic(`${total(ours)} against ${total(theirs)}; ${same} of ${ours.length} are the same`);
    assert.ok(total(ours) <= total(theirs) * 1.005, `${total(ours)} against ${total(theirs)}`);
    const read = native("decode", ours.map(({ fragment }) => ({ fragment, skipFragmentBudget: true })));
    const own = native("decode", theirs.map(({ fragment }) => ({ fragment, skipFragmentBudget: true })));
    for (const [i, { envelope }] of read.entries()) assert.deepEqual(envelope, own[i].envelope, envelopes[i].name);
  });

test("the automatic choice is the tool's", async () => {
  const requests = envelopes
    .filter(({ envelope }) => JSON.stringify(envelope).length < 20_000)
    .map(({ envelope }) => ({ envelope, baseUrl: "https://example.org/" }));
  const wanted = native("encode", requests);
  for (const [i, request] of requests.entries()) {
    const got = await codec.encode(request);
    assert.equal(got.codec, wanted[i].codec);
    assert.deepEqual(
      got.candidates.map(({ codec: name, packed }) => [name, packed]),
      wanted[i].candidates.map(({ codec: name, packed }) => [name, packed]),
    );
  }
});

/** mulberry32 */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Fragments with a character changed, cut, doubled or cut off. */
function damaged(all, count, seed) {
  const next = random(seed);
  const alphabet = "ABCXYZabcxyz019-_~.$%#\u00e9\ufff0";
  return Array.from({ length: count }, () => {
    const text = all[Math.floor(next() * all.length)];
    const at = Math.floor(next() * Math.min(text.length, next() < 0.7 ? 60 : text.length));
    const other = alphabet[Math.floor(next() * alphabet.length)];
    switch (Math.floor(next() * 4)) {
      case 0:
        return text.slice(0, at) + other + text.slice(at + 1);
      case 1:
        return text.slice(0, at) + text.slice(at + 1);
      case 2:
        return text.slice(0, at) + other + text.slice(at);
      default:
        return text.slice(0, at);
    }
  });
}

test("broken fragments fail with the same words", async (t) => {
  const short = envelopes.filter(({ envelope }) => JSON.stringify(envelope).length < 3000).slice(0, 15);
  const whole = [];
  for (const name of ["plain", "lz", "deflate", "arx", "arx2", "arx3", "arx4", "arx5"])
    for (const { envelope } of short) whole.push((await codec.encode({ envelope, codec: name })).fragment);
  const broken = damaged(whole, 600, 20240607);
  const wanted = native("decode", broken.map((fragment) => ({ fragment })));
  const codes = new Map();
  for (const [i, fragment] of broken.entries()) {
    const got = await settled(codec.decode(fragment));
    const { code, message, envelope } = got;
    codes.set(code ?? "ok", (codes.get(code ?? "ok") ?? 0) + 1);
    assert.deepEqual(
      { ok: got.ok, code, message, envelope },
      { ok: wanted[i].ok, code: wanted[i].code, message: wanted[i].message, envelope: wanted[i].envelope },
      fragment,
    );
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(codes)));
  assert.ok(codes.size > 3);
});

test("inspect says what the tool says", async () => {
  for (const { envelope } of envelopes.slice(5, 11))
    for (const name of ["lz", "arx5"]) {
      const { fragment } = await codec.encode({ envelope, codec: name });
      const { stdout } = spawnSync(ARX, ["inspect", "--json", "--assets", ASSETS], { input: `https://example.org/x#${fragment}`, encoding: "utf8" });
      const wanted = JSON.parse(stdout);
      const got = await codec.inspect(`https://example.org/x#${fragment}`);
      // lz needs no set here, so none is named
      assert.deepEqual(got, { ...wanted, assetSet: name === "lz" ? null : wanted.assetSet });
      assert.deepEqual(await codec.inspect(`#${fragment}`, { baseUrl: "https://example.org/x" }), got);
    }
});
