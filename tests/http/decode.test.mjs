/* POST /decode: the golden results and errors over HTTP. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { assertError, envelopeNamed, REFERENCE_ASSETS, ROOT, startServer, vectors } from "./harness.mjs";
import { hasLoneSurrogate, needsAssets } from "./vectors.mjs";

const TEST_ASSETS = path.join(ROOT, "tests/vectors/assets");
const skip = !REFERENCE_ASSETS && "ARX_UPSTREAM_ASSETS is not set";
let server, reference;
before(async () => {
  server = await startServer({ args: ["--assets", TEST_ASSETS] });
  if (REFERENCE_ASSETS) reference = await startServer({ env: { ARX_ASSETS: REFERENCE_ASSETS } });
});
after(async () => {
  await server.stop();
  await reference?.stop();
});

/**
 * Decodes `fragment` and compares with a golden result { ok, envelope?, rawLength } or { ok, code, message }.
 * A fragment of null is too long for its file and left to the unit programs.
 */
async function compare(on, fragment, wanted, what, options = {}) {
  if (!fragment?.isWellFormed()) return; // cannot be said in a request
  const answer = await on.post("/decode", { fragment, ...options });
  if (!wanted.ok) {
    assert.equal(answer.status, 422, `${what}: ${answer.text.slice(0, 300)}`);
    assert.deepEqual({ error: answer.body.error, code: answer.body.code }, { error: wanted.message, code: wanted.code }, what);
    return;
  }
  assert.equal(answer.status, 200, `${what}: ${answer.text.slice(0, 300)}`);
  assert.equal(answer.body.visibleLength, wanted.rawLength, what);
  if (wanted.envelope && !wanted.envelope.sha256) {
    // U+FFFD stands where an answer cannot carry a lone surrogate
    if (hasLoneSurrogate(wanted.envelope)) return;
    assert.deepEqual(answer.body.envelope, wanted.envelope, what);
  }
}

test("the answer's fields", async () => {
  const { active } = await server.getJson("/assets/index.json");
  const [row] = vectors("testassets.json").rows.filter(({ name }) => name === "md-short");
  const fragment = row.arx5.text;
  const answer = await server.post("/decode", { fragment: `#${fragment}` });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body).sort(), [
    "assetSet",
    "codec",
    "decodedLength",
    "envelope",
    "visibleLength",
    "warnings",
  ]);
  assert.equal(answer.body.codec, "arx5");
  assert.equal(answer.body.assetSet, active);
  assert.equal(answer.body.visibleLength, fragment.length);
  assert.deepEqual(answer.body.warnings, []);
  assert.deepEqual(answer.body.envelope, { ...envelopeNamed("md-short"), codec: "arx5" });
});

test("plain, lz and deflate fragments", async () => {
  for (const row of vectors("sync.json").rows)
    for (const codec of ["plain", "lz", "deflate"]) {
      const { text } = row[codec].fragment;
      if (text === undefined || !row[codec].decode) continue;
      await compare(server, text, row[codec].decode, `${row.name} ${codec}`);
    }
});

test("fragments made with the test set", async () => {
  for (const row of vectors("testassets.json").rows)
    for (const codec of ["arx5", "arx4", "arx2", "arx"]) {
      if (typeof row[codec].text !== "string") continue;
      const answer = await server.post("/decode", { fragment: row[codec].text, skipFragmentBudget: true });
      assert.equal(answer.status, 200, `${row.name} ${codec}: ${answer.text.slice(0, 300)}`);
      assert.equal(answer.body.codec, codec);
      const wanted = envelopeNamed(row.name);
      if (hasLoneSurrogate(wanted)) continue;
      assert.deepEqual(answer.body.envelope.artifacts.map((a) => a.content ?? a.patch ?? a.newContent),
        wanted.artifacts.map((a) => a.content ?? a.patch ?? a.newContent), `${row.name} ${codec}`);
    }
});

test("errors that need no asset set", async () => {
  let compared = 0;
  for (const row of vectors("decode-errors.json").rows) {
    if (row.state !== "full" || needsAssets(row.fragment)) continue;
    await compare(server, row.fragment, row.async, row.label, row.options);
    compared++;
  }
  assert.ok(compared > 50, `${compared} compared`);
});

test("normalisation", async () => {
  for (const row of vectors("normalize.json").rows) {
    if (!row.json.isWellFormed()) continue;
    const fragment = `p${Buffer.from(row.json, "utf8").toString("base64url")}`;
    await compare(server, fragment, row.result, row.label);
  }
});

test("legacy forms that need no asset set", async () => {
  for (const row of vectors("legacy.json").rows)
    if (!needsAssets(row.fragment)) await compare(server, row.fragment, row.async, row.label);
});

test("golden errors with the reference set", { skip }, async () => {
  for (const row of vectors("decode-errors.json").rows)
    if (row.state === "full") await compare(reference, row.fragment, row.async, row.label, row.options);
});

test("golden legacy forms with the reference set", { skip }, async () => {
  for (const row of vectors("legacy.json").rows)
    await compare(reference, row.fragment, row.async, row.label);
});

test("golden corner cases with the reference set", { skip }, async () => {
  for (const row of vectors("extra.json").decode)
    await compare(reference, row.fragment, row.async, row.label);
});

test("golden arx5 fragments with the reference set", { skip }, async () => {
  for (const row of vectors("arx5.json").rows) {
    const { text } = row.arx5Fragment.fragment;
    if (text === undefined) continue;
    const answer = await reference.post("/decode", { fragment: text, skipFragmentBudget: true });
    assert.equal(answer.status, 200, row.name);
    const wanted = envelopeNamed(row.name);
    if (!hasLoneSurrogate(wanted))
      assert.deepEqual(answer.body.envelope.artifacts.map((a) => a.id), wanted.artifacts.map((a) => a.id));
  }
});

test("the budget can be skipped", async () => {
  const made = await server.post("/encode", { envelope: envelopeNamed("md-190k"), codec: "arx5" });
  const { fragment } = made.body;
  assertError(
    await server.post("/decode", { fragment }),
    422,
    "This payload exceeds the supported fragment budget of 8,192 characters.",
    "too-large",
  );
  const answer = await server.post("/decode", { fragment, skipFragmentBudget: true });
  assert.equal(answer.body.envelope.artifacts[0].content, envelopeNamed("md-190k").artifacts[0].content);
  assert.ok(answer.body.decodedLength >= 190_000 - 2000);
});

test("an asset set that is not loaded", async () => {
  for (const assetSet of ["0123456789abcdef", "nope", 5]) {
    const answer = await server.post("/decode", { fragment: "pe30", assetSet });
    assert.ok([400, 422].includes(answer.status), `${assetSet}: ${answer.text}`);
  }
  const { active } = await server.getJson("/assets/index.json");
  const [row] = vectors("testassets.json").rows;
  assert.equal((await server.post("/decode", { fragment: row.arx5.text, assetSet: active })).status, 200);
});

test("bodies that are none", async () => {
  for (const body of ["", "{", "{} x", '{"fragment":"\\ud800"}'])
    assertError(await server.post("/decode", body), 400, "Invalid request body.");
  for (const body of ["null", "[]", "5", "{}", '{"fragment":null}', '{"fragment":5}', '{"fragment":"p","skipFragmentBudget":"x"}']) {
    const answer = await server.post("/decode", body);
    assert.equal(answer.status, 400, `${body}: ${answer.text}`);
    assert.equal(typeof answer.body.code, "string");
  }
});
