/* The asset files: encodings by negotiation, ETags, the index of sets. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import zlib from "node:zlib";
import { REFERENCE_ASSETS, ROOT, startServer } from "./harness.mjs";

const FILES = ["arx-dictionary.json", "arx2-dictionary.json", "arx4-priors.json"];
const FOLDER = path.join(ROOT, "tests/vectors/assets");
const source = (name, folder = FOLDER) => fs.readFileSync(path.join(folder, name));

/** The id of a set: SHA-256 over each file's length (8 bytes, big-endian) and bytes, first 16 digits. */
function idOf(folder) {
  const sum = createHash("sha256");
  for (const name of FILES) {
    const bytes = fs.existsSync(path.join(folder, name)) ? source(name, folder) : Buffer.alloc(0);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    sum.update(length).update(bytes);
  }
  return sum.digest("hex").slice(0, 16);
}

let server, builtin;
before(async () => {
  server = await startServer({ args: ["--assets", FOLDER] });
  builtin = await startServer();
});
after(async () => {
  await server.stop();
  await builtin.stop();
});

const DECODE = { br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync, identity: (bytes) => bytes };
const encodingOf = (answer) => answer.headers["content-encoding"] ?? "identity";

const get = (target, accept, on = server) =>
  on.request("GET", target, { headers: accept === undefined ? {} : { "Accept-Encoding": accept } });

test("each file in each encoding has the source's bytes", async () => {
  for (const name of FILES)
    for (const encoding of ["identity", "gzip", "br"]) {
      const answer = await get(`/${name}`, encoding);
      assert.equal(answer.status, 200);
      assert.equal(encodingOf(answer), encoding, name);
      assert.ok(DECODE[encoding](answer.bytes).equals(source(name)), `${name} ${encoding}`);
      assert.match(answer.headers["content-type"], /^application\/json/);
      assert.match(answer.headers.vary, /\baccept-encoding\b/i);
      assert.ok(answer.headers["last-modified"], "Last-Modified");
    }
});

test("Accept-Encoding", async () => {
  for (const [accept, allowed] of [
    [undefined, ["identity"]],
    ["", ["identity"]],
    ["br", ["br"]],
    ["BR", ["br"]],
    ["gzip", ["gzip"]],
    ["x-gzip", ["gzip", "identity"]],
    ["gzip, deflate, br", ["br"]],
    ["gzip, br;q=0", ["gzip"]],
    ["gzip;q=0, br;q=0", ["identity"]],
    ["br;q=0.000, gzip;q=0.001", ["gzip", "identity"]],
    ["*", ["br", "gzip"]],
    ["*;q=0.5", ["br", "gzip", "identity"]],
    ["br;q=0, *", ["gzip", "identity"]],
    ["identity", ["identity"]],
    ["identity;q=0, br", ["br"]],
    ["identity;q=0, gzip", ["gzip"]],
    ["br;q=0.5, identity", ["identity", "br"]],
    ["br;q=0.5, gzip;q=0.8", ["gzip"]],
    ["gzip ; q=1 , br ; q=1", ["br", "gzip"]],
    ["brotli", ["identity"]],
    ["xbr, brx, b r", ["identity"]],
    ["deflate", ["identity"]],
    ["br;q=nonsense", ["identity", "br"]],
    [",,, br ,,", ["br"]],
  ]) {
    const answer = await get("/arx-dictionary.json", accept);
    assert.equal(answer.status, 200, accept);
    assert.ok(allowed.includes(encodingOf(answer)), `${accept}: ${encodingOf(answer)}`);
    assert.ok(DECODE[encodingOf(answer)](answer.bytes).equals(source("arx-dictionary.json")), accept);
  }
});

test("nothing acceptable: 406", async () => {
  for (const accept of ["identity;q=0", "identity;q=0, br;q=0, gzip;q=0", "*;q=0", "deflate, identity;q=0"]) {
    const answer = await get("/arx-dictionary.json", accept);
    assert.equal(answer.status, 406, accept);
    assert.match(answer.headers.vary, /\baccept-encoding\b/i);
  }
});

test("X.br by name is always the Brotli bytes", async () => {
  for (const name of FILES)
    for (const accept of [undefined, "identity", "gzip", "br;q=0"]) {
      const answer = await get(`/${name}.br`, accept);
      assert.equal(answer.status, 200, name);
      assert.equal(answer.headers["content-encoding"], "br");
      assert.match(answer.headers["content-type"], /^application\/json/);
      assert.match(answer.headers.vary, /\baccept-encoding\b/i);
      assert.ok(zlib.brotliDecompressSync(answer.bytes).equals(source(name)), name);
    }
});

test("ETags are strong, differ by encoding, and answer 304", async () => {
  const tags = new Map();
  for (const encoding of ["identity", "gzip", "br"]) {
    const answer = await get("/arx4-priors.json", encoding);
    const { etag } = answer.headers;
    assert.match(etag, /^"[^"]+"$/);
    tags.set(encoding, etag);
    for (const condition of [etag, `"other", ${etag}`, `W/${etag}`, "*"]) {
      const again = await server.request("GET", "/arx4-priors.json", {
        headers: { "Accept-Encoding": encoding, "If-None-Match": condition },
      });
      assert.equal(again.status, 304, condition);
      assert.equal(again.bytes.length, 0);
      assert.equal(again.headers.etag, etag);
      assert.match(again.headers.vary, /\baccept-encoding\b/i);
    }
    for (const condition of ['"other"', etag.slice(0, -1), etag.slice(1, -1), ""]) {
      const again = await server.request("GET", "/arx4-priors.json", {
        headers: { "Accept-Encoding": encoding, "If-None-Match": condition },
      });
      assert.equal(again.status, 200, condition);
    }
  }
  assert.equal(new Set(tags.values()).size, 3);
  const crossed = await server.request("GET", "/arx4-priors.json", {
    headers: { "Accept-Encoding": "br", "If-None-Match": tags.get("gzip") },
  });
  assert.equal(crossed.status, 200);
});

test("the index names the active set, which is served for ever under its id", async () => {
  const id = idOf(FOLDER);
  const index = await server.getJson("/assets/index.json");
  assert.equal(index.active, id);
  assert.ok(index.sets.includes(id));
  for (const name of FILES) {
    const answer = await get(`/assets/${id}/${name}`, "br");
    assert.equal(answer.status, 200, name);
    assert.equal(answer.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.ok(DECODE[encodingOf(answer)](answer.bytes).equals(source(name)));
  }
  for (const target of [`/assets/${id}`, `/assets/${id}/`, `/assets/${id}/nope.json`, "/assets", "/assets/0000000000000000/arx-dictionary.json"])
    assert.equal((await get(target)).status, 404, target);
});

test("built-in sets are served and read from the start", async () => {
  const index = await builtin.getJson("/assets/index.json");
  assert.match(index.active, /^[0-9a-f]{16}$/);
  assert.ok(index.sets.includes(index.active));
  for (const name of FILES) {
    const answer = await get(`/${name}`, "br", builtin);
    assert.equal(answer.status, 200);
    const text = DECODE[encodingOf(answer)](answer.bytes).toString("utf8");
    assert.equal(JSON.parse(text).version, 1);
    const same = await get(`/assets/${index.active}/${name}`, "identity", builtin);
    assert.equal(same.text, text);
  }
});

test("--compat adds sets that are only read", { skip: !REFERENCE_ASSETS && "ARX_UPSTREAM_ASSETS is not set" }, async () => {
  const both = await startServer({ args: ["--assets", FOLDER, "--compat", REFERENCE_ASSETS] });
  try {
    const index = await both.getJson("/assets/index.json");
    assert.equal(index.active, idOf(FOLDER));
    assert.ok(index.sets.includes(idOf(REFERENCE_ASSETS)));
    const answer = await get(`/assets/${idOf(REFERENCE_ASSETS)}/arx4-priors.json`, "identity", both);
    assert.ok(answer.bytes.equals(source("arx4-priors.json", REFERENCE_ASSETS)));
  } finally {
    await both.stop();
  }
});
