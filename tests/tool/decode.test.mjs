/* `arx decode --jsonl` against every golden result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { envelopeNamed, REFERENCE_ASSETS, vectors } from "../http/harness.mjs";
import { needsAssets } from "../http/vectors.mjs";
import { lines } from "./tool.mjs";

const TEST_SET = ["--assets", "tests/vectors/assets"];
const REFERENCE_SET = ["--assets", REFERENCE_ASSETS];
const reference = { skip: !REFERENCE_ASSETS && "ARX_UPSTREAM_ASSETS is not set" };

/** A row of a golden file as a case. Fragments of null are too long for it and left to the unit programs. */
const golden = (row) => ({
  fragment: row.fragment,
  skip: row.options?.skipFragmentBudget,
  wanted: row.async,
  what: row.label,
});

/** cases: [{ fragment, wanted: { ok, envelope?, rawLength } | { ok, code, message }, what }] */
function compare(cases, set) {
  const answers = lines("decode", cases.map(({ fragment, skip }) => ({ fragment, skipFragmentBudget: Boolean(skip) })), set);
  cases.forEach(({ wanted, what }, i) => {
    const got = answers[i];
    if (!wanted.ok) {
      assert.deepEqual(got, { ok: false, code: wanted.code, message: wanted.message }, what);
      return;
    }
    assert.equal(got.ok, true, `${what}: ${got.message}`);
    if (wanted.rawLength !== undefined) assert.equal(got.visibleLength, wanted.rawLength, what);
    if (wanted.envelope && !wanted.envelope.sha256) {
      assert.deepEqual(got.envelope, wanted.envelope, what);
      if (wanted.keyOrder) assert.equal(JSON.stringify(got.envelope), wanted.keyOrder, what);
    }
  });
}

test("plain, lz and deflate", () => {
  const cases = [];
  for (const row of vectors("sync.json").rows)
    for (const codec of ["plain", "lz", "deflate"]) {
      const { text } = row[codec].fragment;
      if (text !== undefined)
        cases.push({ fragment: text, wanted: row[codec].decode, what: `${row.name} ${codec}` });
    }
  assert.ok(cases.length > 120);
  compare(cases, TEST_SET);
});

test("the test set's fragments give the envelopes back", () => {
  const cases = [];
  for (const row of vectors("testassets.json").rows)
    for (const codec of ["arx5", "arx4", "arx2", "arx"]) {
      if (typeof row[codec].text !== "string") continue;
      cases.push({ fragment: row[codec].text, skip: true, wanted: { ok: true }, what: `${row.name} ${codec}`, row, codec });
    }
  const answers = lines("decode", cases.map(({ fragment }) => ({ fragment, skipFragmentBudget: true })), TEST_SET);
  cases.forEach(({ row, codec, what }, i) => {
    const wanted = envelopeNamed(row.name);
    assert.equal(answers[i].ok, true, `${what}: ${answers[i].message}`);
    assert.equal(answers[i].codec, codec, what);
    const strip = ({ id, kind, title, filename, content, patch, oldContent, newContent, language, view }) =>
      JSON.stringify([id, kind, title, filename, content, patch, oldContent, newContent, language, view]);
    assert.deepEqual(answers[i].envelope.artifacts.map(strip), wanted.artifacts.map(strip), what);
    assert.equal(answers[i].envelope.title, wanted.title, what);
  });
});

test("errors, legacy forms and normalisation that need no asset set", () => {
  const cases = [
    ...vectors("decode-errors.json").rows.filter((row) => row.state === "full"),
    ...vectors("legacy.json").rows,
    ...vectors("extra.json").decode,
  ]
    .filter((row) => row.fragment !== null && !needsAssets(row.fragment))
    .map(golden);
  for (const row of vectors("normalize.json").rows)
    if (row.json.isWellFormed())
      cases.push({
        fragment: `p${Buffer.from(row.json, "utf8").toString("base64url")}`,
        wanted: { ...row.result, keyOrder: row.keyOrder },
        what: row.label,
      });
  assert.ok(cases.length > 120, `${cases.length} cases`);
  compare(cases, TEST_SET);
});

test("errors, legacy forms and corner cases with the reference set", reference, () => {
  const cases = [
    ...vectors("decode-errors.json").rows.filter((row) => row.state === "full"),
    ...vectors("legacy.json").rows,
    ...vectors("extra.json").decode,
  ]
    .filter((row) => row.fragment !== null)
    .map(golden);
  compare(cases, REFERENCE_SET);
});

test("tuples with the reference set", reference, () => {
  const cases = [];
  for (const { tuple, arx2Fragment, arx5Fragment, result, arx5Same, keyOrder } of vectors("normalize.json").tuples) {
    if (arx2Fragment) cases.push({ fragment: arx2Fragment, wanted: { ...result, keyOrder }, what: `arx2 ${tuple}` });
    if (arx5Fragment && arx5Same && !result.ok)
      cases.push({ fragment: arx5Fragment, wanted: result, what: `arx5 ${tuple}` });
  }
  assert.ok(cases.length > 40, `${cases.length} cases`);
  compare(cases, REFERENCE_SET);
});

test("golden fragments with the reference set", reference, () => {
  const cases = [];
  for (const row of vectors("arx5.json").rows)
    for (const name of ["arx5Fragment", "arx4Fragment", "auto"]) {
      const { text } = row[name].fragment;
      if (text !== undefined) cases.push({ fragment: text, row, what: `${row.name} ${name}` });
    }
  for (const row of vectors("arx.json").rows)
    for (const name of ["arxFragment", "arx2Fragment", "arx3Fragment"]) {
      const { text } = row[name].fragment;
      if (text !== undefined) cases.push({ fragment: text, row, what: `${row.name} ${name}` });
    }
  const answers = lines("decode", cases.map(({ fragment }) => ({ fragment, skipFragmentBudget: true })), REFERENCE_SET);
  cases.forEach(({ row, what }, i) => {
    assert.equal(answers[i].ok, true, `${what}: ${answers[i].message}`);
    const bodies = (envelope) => envelope.artifacts.map((a) => JSON.stringify([a.id, a.kind, a.content, a.patch, a.oldContent, a.newContent]));
    assert.deepEqual(bodies(answers[i].envelope), bodies(envelopeNamed(row.name)), what);
  });
});

test("bad lines are answered in their place", () => {
  const requests = ["", "{", "null", "5", "[]", "{}", '{"fragment":5}', '{"fragment":"p","skipFragmentBudget":1}', { fragment: "pe30" }];
  const answers = lines("decode", requests, TEST_SET);
  for (const answer of answers) assert.equal(answer.ok, false);
  assert.equal(answers.at(-1).code, "invalid-envelope");
});
