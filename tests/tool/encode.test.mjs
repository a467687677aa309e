/* `arx encode --jsonl` against every golden fragment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { allEnvelopes, envelopeNamed, REFERENCE_ASSETS, vectors } from "../http/harness.mjs";
import { matchesVector } from "../http/vectors.mjs";
import { lines } from "./tool.mjs";

const TEST_SET = ["--assets", "tests/vectors/assets"];
const REFERENCE_SET = ["--assets", REFERENCE_ASSETS];
const reference = { skip: !REFERENCE_ASSETS && "ARX_UPSTREAM_ASSETS is not set" };

/** Encodes cases [{ request, wanted, what }] in one batch and compares fragments. */
function compare(cases, set) {
  const answers = lines("encode", cases.map(({ request }) => request), set);
  cases.forEach(({ wanted, what }, i) => {
    assert.equal(answers[i].ok, true, `${what}: ${answers[i].message}`);
    assert.ok(matchesVector(wanted, answers[i].fragment), `${what}: ${answers[i].fragment.slice(0, 120)}`);
  });
  return answers;
}

test("arx5, arx4 and auto with the test set", () => {
  const cases = [];
  for (const row of vectors("testassets.json").rows)
    for (const codec of ["arx5", "arx4", "auto"])
      cases.push({
        request: { envelope: envelopeNamed(row.name), ...(codec === "auto" ? {} : { codec }) },
        wanted: row[codec],
        what: `${row.name} ${codec}`,
        lengths: row[codec],
      });
  assert.ok(cases.length >= 3 * 50);
  const answers = compare(cases, TEST_SET);
  cases.forEach(({ lengths, what }, i) => {
    assert.equal(answers[i].visibleLength, lengths.visible, what);
    assert.equal(answers[i].transportLength, lengths.transport, what);
  });
});

test("every prior with the test set", () => {
  const cases = [];
  for (const row of vectors("testassets.json").rows)
    for (const [prior, { hex }] of Object.entries(row.priors ?? {})) {
      if (!hex) continue;
      cases.push({
        request: { envelope: envelopeNamed(row.name), codecPriority: ["arx5"], prior },
        wanted: `f${prior}B.${Buffer.from(hex, "hex").toString("base64url")}`,
        what: `${row.name} prior ${prior}`,
      });
    }
  assert.ok(cases.length >= 16 * 4, `${cases.length} cases`);
  const answers = lines("encode", cases.map(({ request }) => request), TEST_SET);
  let same = 0;
  cases.forEach(({ wanted, what }, i) => {
    assert.equal(answers[i].ok, true, what);
    if (answers[i].wire !== "base64url") return;
    assert.equal(answers[i].fragment, wanted, what);
    same++;
  });
  assert.ok(same >= cases.length - 8, `${same} of ${cases.length} in base64url`);
});

test("plain and lz, packed and unpacked, where normalising changes nothing", () => {
  const cases = [];
  for (const row of vectors("sync.json").rows) {
    const envelope = envelopeNamed(row.name);
    if (!envelope.artifacts.some(({ id }) => id === envelope.activeArtifactId)) continue;
    for (const codec of ["plain", "lz"]) {
      cases.push({ request: { envelope, codec }, wanted: row[codec].fragment, what: `${row.name} ${codec}` });
      cases.push({
        request: { envelope, codec, preferPacked: false },
        wanted: row[codec].unpacked,
        what: `${row.name} ${codec} unpacked`,
      });
    }
  }
  assert.ok(cases.length > 150, `${cases.length} cases`);
  compare(cases, TEST_SET);
});

test("arx5, arx4 and auto with the reference set", reference, () => {
  const cases = [];
  for (const row of vectors("arx5.json").rows) {
    const envelope = envelopeNamed(row.name);
    cases.push(
      { request: { envelope, codec: "arx5" }, wanted: row.arx5Fragment.fragment, what: `${row.name} arx5` },
      { request: { envelope, codec: "arx4" }, wanted: row.arx4Fragment.fragment, what: `${row.name} arx4` },
      {
        request: { envelope, codec: "arx4", budgetByTransport: true },
        wanted: row.arx4UrlSerialized.fragment,
        what: `${row.name} arx4 by transport`,
      },
      { request: { envelope }, wanted: row.auto.fragment, what: `${row.name} auto` },
    );
  }
  const answers = compare(cases, REFERENCE_SET);
  assert.equal(new Set(answers.map(({ assetSet }) => assetSet)).size, 1);
});

test("arx, arx2 and arx3 with the reference set, where Brotli encoders agree", reference, () => {
  const same = new Map(vectors("brotli-c.json").rows.map((row) => [row.name, row]));
  const cases = [];
  for (const row of vectors("arx.json").rows) {
    const envelope = envelopeNamed(row.name);
    const brotli = same.get(row.name);
    if (brotli.arx2.same)
      for (const codec of ["arx2", "arx3"])
        cases.push({ request: { envelope, codec }, wanted: row[`${codec}Fragment`].fragment, what: `${row.name} ${codec}` });
    const normalised = envelope.artifacts.some(({ id }) => id === envelope.activeArtifactId);
    if (brotli.arxPacked.same && brotli.arxUnpacked.same && normalised)
      cases.push({ request: { envelope, codec: "arx" }, wanted: row.arxFragment.fragment, what: `${row.name} arx` });
  }
  assert.ok(cases.length > 100, `${cases.length} cases`);
  compare(cases, REFERENCE_SET);
});

test("option combinations with the reference set", reference, () => {
  const cases = vectors("select.json")
    .rows.filter((row) => row.async && !row.async.text?.startsWith("d")) // any deflate stream will do
    .map((row) => ({
      request: { envelope: envelopeNamed(row.name), ...row.options },
      wanted: row.async,
      what: `${row.name} ${JSON.stringify(row.options)}`,
    }));
  assert.ok(cases.length > 100);
  compare(cases, REFERENCE_SET);
});

test("drafts and links with the reference set", reference, () => {
  const rows = vectors("links.json").rows;
  const requests = rows.map(({ draft, baseUrl }) => {
    const { diffView, content, codec, ...artifact } = draft;
    Object.assign(artifact, draft.kind === "diff" ? { patch: content, view: diffView } : { content });
    return { artifact, codec, ...(baseUrl === undefined ? {} : { baseUrl }) };
  });
  const answers = lines("encode", requests, REFERENCE_SET);
  rows.forEach((row, i) => {
    const { label, async: wanted, asyncError } = row;
    const answer = answers[i];
    if (asyncError) {
      // what is over the budget is returned all the same, saying that it does not fit
      if (/over the 8,192 character limit/.test(asyncError)) assert.equal(answer.fitsFragmentBudget, false, label);
      else assert.equal(answer.ok, false, label);
      if (/^Error: Paste/.test(asyncError)) assert.equal(`Error: ${answer.message}`, asyncError, label);
      return;
    }
    assert.equal(answer.ok, true, `${label}: ${answer.message}`);
    for (const name of ["codec", "hash", "url", "markdownUrl", "markdownLink"])
      assert.ok(matchesVector(wanted[name], answer[name]), `${name} of ${label}: ${answer[name].slice(0, 200)}`);
    assert.equal(answer.markdownLinkLength, wanted.markdownLinkLength, label);
    assert.equal(answer.discordMarkdownLinkWarning, wanted.discordMarkdownLinkWarning, label);
  });
});

test("envelope links with the reference set", reference, () => {
  const rows = vectors("links.json").envelopeLinks.filter(({ codec }) => codec !== "deflate");
  const answers = lines(
    "encode",
    rows.map(({ name, codec }) => ({ envelope: envelopeNamed(name), codec, baseUrl: "https://agent-render.com/" })),
    REFERENCE_SET,
  );
  rows.forEach((row, i) => {
    for (const name of ["hash", "url", "markdownUrl", "markdownLink"])
      assert.ok(matchesVector(row[name], answers[i][name]), `${name} of ${row.name} ${row.codec}`);
  });
});

test("bad lines are answered in their place", () => {
  const good = { envelope: allEnvelopes()[1].envelope };
  const requests = ["", "{", "null", "[]", "5", "{}", '{"envelope":{}}', '{"artifact":{"kind":"x"}}', good, '{"codec":"zip"}', "\ufeff{}", good];
  const answers = lines("encode", requests, TEST_SET);
  requests.forEach((request, i) => {
    assert.equal(answers[i].ok, request === good, JSON.stringify(answers[i]));
    if (!answers[i].ok) {
      assert.match(answers[i].code, /^[a-z]+(-[a-z]+)*$/);
      assert.ok(answers[i].message.length > 5);
    }
  });
});
