/* POST /encode: the golden fragments over HTTP, its options, its refusals. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { allEnvelopes, assertError, envelopeNamed, REFERENCE_ASSETS, ROOT, startServer, vectors } from "./harness.mjs";
import { matchesVector, hasLoneSurrogate } from "./vectors.mjs";

const TEST_ASSETS = path.join(ROOT, "tests/vectors/assets");
let server;
before(async () => {
  server = await startServer({ args: ["--assets", TEST_ASSETS] });
});
after(() => server.stop());

/** Encodes; the answer must be a 200. */
async function encode(body, on = server) {
  const answer = await on.post("/encode", body);
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  return answer.body;
}

const rows = vectors("testassets.json").rows;
const overHttp = rows.filter((row) => !hasLoneSurrogate(envelopeNamed(row.name)));

for (const codec of ["arx5", "arx4", "auto"])
  test(`golden fragments, ${codec}`, async () => {
    for (const row of overHttp) {
      const envelope = envelopeNamed(row.name);
      const got = await encode(codec === "auto" ? { envelope } : { envelope, codec });
      assert.ok(matchesVector(row[codec], got.fragment), `${row.name}: ${got.fragment.slice(0, 80)}`);
      if (codec !== "auto") assert.equal(got.codec, codec);
      assert.equal(got.visibleLength, row[codec].visible, row.name);
      assert.equal(got.transportLength, row[codec].transport, row.name);
    }
  });

test("golden fragments, plain and lz of normalised envelopes", async () => {
  let compared = 0;
  for (const row of vectors("sync.json").rows) {
    const envelope = envelopeNamed(row.name);
    const ids = envelope.artifacts.map((artifact) => artifact.id);
    if (!ids.includes(envelope.activeArtifactId) || hasLoneSurrogate(envelope)) continue;
    for (const codec of ["plain", "lz"]) {
      for (const preferPacked of [true, false]) {
        const got = await encode({ envelope, codec, preferPacked });
        const wanted = preferPacked ? row[codec].fragment : row[codec].unpacked;
        assert.ok(matchesVector(wanted, got.fragment), `${row.name} ${codec} ${preferPacked}`);
        compared++;
      }
    }
  }
  assert.ok(compared > 150, `${compared} compared`);
});

test("the same request gives the same bytes", async () => {
  const body = JSON.stringify({ envelope: envelopeNamed("md-8k"), baseUrl: "https://example.org/" });
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.post("/encode", body)));
  assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
  assert.equal(answers[0].status, 200);
  assert.match(answers[0].headers.get("server-timing") ?? "", /dur=/);
});

test("the result's fields", async () => {
  const { active } = await server.getJson("/assets/index.json");
  const got = await encode({ envelope: envelopeNamed("md-short") });
  for (const name of [
    "codec",
    "wire",
    "prior",
    "packed",
    "fragment",
    "url",
    "hash",
    "markdownUrl",
    "markdownLink",
    "markdownLinkLength",
    "discordMarkdownLinkWarning",
    "visibleLength",
    "transportLength",
    "fitsFragmentBudget",
    "fitsTarget",
    "assetSet",
    "candidates",
    "warnings",
  ])
    assert.ok(name in got, name);
  assert.equal(got.codec, "arx5");
  assert.equal(got.wire, "base64url");
  assert.equal(got.prior, "m");
  assert.equal(got.hash, `#${got.fragment}`);
  assert.equal(got.url, `${server.origin}/#${got.fragment}`);
  assert.equal(got.markdownLink, `[note](${got.markdownUrl})`);
  assert.equal(got.markdownLinkLength, got.markdownLink.length);
  assert.equal(got.discordMarkdownLinkWarning, null);
  assert.equal(got.fitsFragmentBudget, true);
  assert.equal(got.fitsTarget, true);
  assert.equal(got.assetSet, active);
  assert.deepEqual(got.warnings, []);
});

test("candidates: one a codec and packing, none shorter than the winner", async () => {
  const got = await encode({ envelope: envelopeNamed("code-c") });
  const names = got.candidates.map(({ codec, packed }) => `${codec}/${packed}`);
  assert.equal(new Set(names).size, names.length);
  for (const codec of ["arx5", "arx2", "arx", "deflate", "lz", "plain"])
    assert.ok(got.candidates.some((candidate) => candidate.codec === codec), codec);
  for (const candidate of got.candidates) {
    assert.deepEqual(
      Object.keys(candidate).sort(),
      ["codec", "packed", "transportLength", "visibleLength", "wire"].sort(),
    );
    assert.ok(candidate.transportLength >= got.transportLength, candidate.codec);
  }
});

test("standard and packed form give the same", async () => {
  const envelope = envelopeNamed("bundle-3");
  const packed = {
    p: 1,
    v: 1,
    c: envelope.codec,
    t: envelope.title,
    a: envelope.activeArtifactId,
    r: envelope.artifacts.map((artifact) => ({
      i: artifact.id,
      k: artifact.kind,
      t: artifact.title,
      f: artifact.filename,
      p: artifact.patch,
      o: artifact.oldContent,
      n: artifact.newContent,
      c: artifact.content,
      l: artifact.language,
      w: artifact.view,
    })),
  };
  assert.equal((await encode({ envelope: packed })).fragment, (await encode({ envelope })).fragment);
});

test("an artifact is wrapped as a draft", async () => {
  const got = await encode({
    artifact: { kind: "code", title: "  Hello [World]  ", filename: "a/hello.c", content: "int x;\n", language: "c" },
    baseUrl: "https://example.org/view/?q=1#old",
  });
  assert.ok(got.url.startsWith("https://example.org/view/?q=1#"), got.url);
  assert.ok(got.markdownLink.startsWith("[Hello \\[World\\]](https://example.org/view/?q=1#"), got.markdownLink);
  const { body } = await server.post("/decode", { fragment: got.fragment });
  assert.equal(body.envelope.title, "Hello [World]");
  assert.equal(body.envelope.activeArtifactId, "hello-world");
  assert.deepEqual(body.envelope.artifacts, [
    { id: "hello-world", kind: "code", title: "Hello [World]", filename: "a/hello.c", content: "int x;\n", language: "c" },
  ]);
});

test("label names the link", async () => {
  const got = await encode({ envelope: envelopeNamed("md-short"), label: "read [this]" });
  assert.ok(got.markdownLink.startsWith("[read \\[this\\]]("), got.markdownLink);
});

test("prior", async () => {
  const row = rows.find((candidate) => candidate.name === "md-short");
  for (const prior of ["m", "c", "j", "s", "n"]) {
    const got = await encode({ envelope: envelopeNamed("md-short"), codec: "arx5", prior });
    assert.equal(got.prior, prior);
    const wire = Buffer.from(row.priors[prior].hex, "hex").toString("base64url");
    assert.equal(got.fragment, `f${prior}B.${wire}`);
  }
});

test("budgetByTransport and targets", async () => {
  const envelope = envelopeNamed("md-1k");
  const dense = await encode({ envelope, codec: "arx4" });
  assert.equal(dense.wire, "baseBMP");
  const plain = await encode({ envelope, codec: "arx4", budgetByTransport: true });
  assert.ok(plain.transportLength < dense.transportLength);
  const tight = await encode({ envelope, targetMaxFragmentLength: 20 });
  assert.equal(tight.fitsTarget, false);
  assert.equal((await encode({ envelope, targetMaxFragmentLength: 8000 })).fitsTarget, true);
});

test("a 60 KB report", async () => {
  const paragraphs = Array.from(
    { length: 260 },
    (_, i) => `## Finding ${i}\n\nThe ${["late", "early", "damp"][i % 3]} gauge at station ${(i * 7919) % 1000} read ` +
      `${((i * 104729) % 9973) / 10} units; **expected** was ${i % 17}. See [row ${i}](#r${i}) and \`check_${i % 29}()\`.\n\n` +
      `| station | value |\n| --- | ---: |\n| ${i} | ${(i * 31337) % 65536} |\n\n`,
  );
  const content = paragraphs.join("").padEnd(60_000, "tail ").slice(0, 60_000);
  const got = await encode({ artifact: { kind: "markdown", title: "Report", content } });
  assert.equal(got.codec, "arx5");
  const back = await server.post("/decode", { fragment: got.fragment, skipFragmentBudget: true });
  assert.equal(back.body.envelope.artifacts[0].content, content);
});

test("over the budget the fragment still comes, with a hint", async () => {
  const row = rows.find((candidate) => candidate.name === "md-190k");
  const got = await encode({ envelope: envelopeNamed("md-190k") });
  assert.ok(matchesVector(row.auto, got.fragment));
  assert.equal(got.fitsFragmentBudget, false);
  assert.match(got.hint, /store/);
});

test("lone surrogates become U+FFFD, with a warning", async () => {
  const answer = await server.post(
    "/encode",
    '{"artifact":{"kind":"markdown","content":"cut \\ud83d here, whole \\ud83d\\ude80"}}',
  );
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.warnings.length, 1);
  const back = await server.post("/decode", { fragment: answer.body.fragment });
  assert.equal(back.body.envelope.artifacts[0].content, "cut \ufffd here, whole \u{1f680}");
});

test("bodies that are none", async () => {
  for (const body of ["", "{", "[", "\ufeff{}", "{} x", '{"envelope":\u0001}'])
    assertError(await server.post("/encode", body), 400, "Invalid request body.");
  for (const body of ["null", "[]", "5", '"x"', "true", "{}", '{"envelope":null}', '{"artifact":5}']) {
    const answer = await server.post("/encode", body);
    assert.ok([400, 422].includes(answer.status), `${body}: ${answer.status}`);
    assert.equal(typeof answer.body.code, "string", body);
  }
});

test("options that are none", async () => {
  const envelope = envelopeNamed("md-short");
  for (const options of [
    { codec: "zip" },
    { codec: 5 },
    { codecPriority: "arx5" },
    { codecPriority: ["arx5", "zip"] },
    { codecPriority: [1] },
    { preferPacked: "yes" },
    { preferCompressed: 1 },
    { targetMaxFragmentLength: -1 },
    { targetMaxFragmentLength: 1.5 },
    { targetMaxFragmentLength: "60" },
    { budgetByTransport: "no" },
    { prior: "x" },
    { prior: 1 },
    { baseUrl: "not a url" },
    { baseUrl: 1 },
    { label: 1 },
  ]) {
    const answer = await server.post("/encode", { envelope, ...options });
    assert.equal(answer.status, 400, `${JSON.stringify(options)}: ${answer.text.slice(0, 200)}`);
    assert.equal(typeof answer.body.error, "string");
    assert.equal(typeof answer.body.code, "string");
  }
});

test("envelopes that are none: 422 with the codec's words", async () => {
  const ok = { id: "a", kind: "markdown", content: "x" };
  const shape = "The decoded JSON did not match the payload envelope.";
  for (const [envelope, text] of [
    [{ v: 1, codec: "plain", artifacts: [{ ...ok, kind: "image" }] }, shape],
    [{ v: 2, codec: "plain", artifacts: [ok] }, shape],
    [{ v: 1, codec: "plain", artifacts: [{ id: "a", kind: "code" }] }, shape],
    [{ v: 1, codec: "plain", artifacts: {} }, shape],
    [
      { v: 1, codec: "plain", artifacts: [ok, ok] },
      'Duplicate artifact id "a" is not allowed in a payload bundle.',
    ],
    [
      { v: 1, codec: "plain", artifacts: [{ id: "d", kind: "diff", patch: "" }] },
      'Diff artifact "d" must include a patch or an old/new content pair.',
    ],
  ])
    assertError(await server.post("/encode", { envelope }), 422, text, "invalid-envelope");
});

test("a draft without content", async () => {
  for (const [artifact, text] of [
    [{ kind: "markdown", content: " \n\t\u00a0\u3000\ufeff" }, "Paste some content before generating a link."],
    [{ kind: "diff", patch: " \n" }, "Paste a diff patch before generating a link."],
  ]) {
    const answer = await server.post("/encode", { artifact });
    assert.ok([400, 422].includes(answer.status), answer.text);
    assert.equal(answer.body.error, text);
  }
});

for (const codec of ["deflate", "arx", "arx2"])
  test(`every envelope comes back from ${codec}`, async () => {
    for (const { name, envelope } of allEnvelopes()) {
      if (hasLoneSurrogate(envelope)) continue;
      const got = await encode({ envelope, codec });
      assert.equal(got.codec, codec);
      const back = await server.post("/decode", { fragment: got.fragment, skipFragmentBudget: true });
      assert.equal(back.status, 200, `${name}: ${back.text.slice(0, 200)}`);
      assert.deepEqual(
        back.body.envelope.artifacts.map(({ id, kind, content, patch }) => ({ id, kind, content, patch })),
        envelope.artifacts.map(({ id, kind, content, patch }) => ({ id, kind, content, patch })),
        name,
      );
    }
  });

test("golden fragments and options with the reference set", { skip: !REFERENCE_ASSETS && "ARX_UPSTREAM_ASSETS is not set" }, async () => {
  const reference = await startServer({ env: { ARX_ASSETS: REFERENCE_ASSETS } });
  try {
    const markdown = vectors("arx5.json").rows.filter((row) => row.name.startsWith("md-"));
    const size = (row) => JSON.stringify(envelopeNamed(row.name)).length;
    markdown.sort((a, b) => size(b) - size(a));
    const largest = markdown[0];
    const got = await encode({ envelope: envelopeNamed(largest.name), codec: "arx5" }, reference);
    assert.ok(matchesVector(largest.arx5Fragment.fragment, got.fragment), largest.name);

    for (const row of vectors("select.json").rows) {
      // deflate's bytes are another encoder's: any stream that inflates is the format's
      if (!row.async || row.async.text?.startsWith("d")) continue;
      const made = await encode({ envelope: envelopeNamed(row.name), ...row.options }, reference);
      assert.ok(matchesVector(row.async, made.fragment), `${row.name} ${JSON.stringify(row.options)}`);
    }
  } finally {
    await reference.stop();
  }
});

test("golden links with the reference set", { skip: !REFERENCE_ASSETS && "ARX_UPSTREAM_ASSETS is not set" }, async () => {
  const reference = await startServer({ env: { ARX_ASSETS: REFERENCE_ASSETS } });
  try {
    for (const { label, draft, baseUrl, async: wanted } of vectors("links.json").rows) {
      if (!wanted || !baseUrl) continue;
      const { diffView, codec, content, ...artifact } = draft;
      if (draft.kind === "diff") Object.assign(artifact, { patch: content, view: diffView });
      else artifact.content = content;
      const got = await encode({ artifact, baseUrl, codec }, reference);
      for (const name of ["codec", "hash", "url", "markdownUrl", "markdownLink"])
        assert.ok(matchesVector(wanted[name], got[name]), `${name} of ${label}: ${got[name].slice(0, 200)}`);
      assert.equal(got.visibleLength, wanted.fragmentLength, label);
      assert.equal(got.markdownLinkLength, wanted.markdownLinkLength, label);
      assert.equal(got.discordMarkdownLinkWarning, wanted.discordMarkdownLinkWarning, label);
    }
  } finally {
    await reference.stop();
  }
});
