/* client.test.mjs - the codec as a page sees it: asset sets, giving up, failures, what is loaded when. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createCodec } from "../../static/viewer/codec/client.mjs";
import { markdownLink } from "../../static/viewer/page/app/markdown-link.mjs";
import { startWorker } from "./node-worker.mjs";
import { PAGE, ROOT, serve } from "./serve.mjs";

const manifest = JSON.parse(fs.readFileSync(path.join(PAGE, "manifest.json"), "utf8"));
const workerUrl = pathToFileURL(path.join(PAGE, manifest.entries["codec/worker.mjs"]));
const vectors = (file) => JSON.parse(fs.readFileSync(path.join(ROOT, "tests/vectors/codec", file), "utf8"));
const { envelopes } = vectors("envelopes.json");
const envelopeNamed = (name) => envelopes.find((row) => row.name === name).envelope;
const madeWithTest = vectors("testassets.json").rows.find(({ name }) => name === "md-1k");
const madeWithOdd = vectors("odd-assets.json").rows.find(({ name }) => name === "md-1k");

let server;
const open = new Set();
before(async () => {
  server = await serve();
});
after(() => server.stop());
afterEach(() => {
  for (const codec of open) codec.close();
  open.clear();
  server.requests.length = 0;
});

/** A codec on those sets, and how many workers it has started. */
function create(sets = "test", options = {}) {
  const count = { started: 0 };
  const codec = createCodec({
    workerUrl,
    assetsBase: `${server.origin}/sets/${sets}/`,
    startWorker: (url) => {
      count.started++;
      return startWorker(url);
    },
    ...options,
  });
  open.add(codec);
  return Object.assign(codec, { count });
}

const plain = (text) => `p${Buffer.from(JSON.stringify(text)).toString("base64url")}`;
const small = plain({ v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", content: "hi" }] });

test("nothing is loaded before the first call, and only what it needs then", async () => {
  const codec = create();
  assert.equal(codec.count.started, 0);
  const result = await codec.decode(`#${small}`);
  assert.deepEqual(result, {
    envelope: { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", content: "hi" }], activeArtifactId: "a" },
    codec: "plain",
    assetSet: null,
    visibleLength: small.length,
    decodedLength: 81,
    warnings: [],
    wire: null,
    prior: null,
    packed: false,
    otherSets: [],
  });
  assert.deepEqual(server.requests, [], "a plain fragment needs no asset");
  const { id } = server.sets.test;
  await codec.decode(madeWithTest.arx2.text);
  assert.deepEqual(server.requests.splice(0), ["index.json", `${id}/arx-dictionary.json`, `${id}/arx2-dictionary.json`]);
  await codec.decode(madeWithTest.arx5.text);
  assert.deepEqual(server.requests.splice(0), [`${id}/arx4-priors.json`]);
  await codec.decode(madeWithTest.arx4.text);
  await codec.encode({ envelope: envelopeNamed("md-short"), codec: "arx5" });
  assert.deepEqual(server.requests, []);
  assert.equal(codec.count.started, 1);
});

test("an encode answers with the fields of POST /encode", async () => {
  const made = await create().encode({ artifact: { kind: "markdown", title: "Hi", content: "# Hi\n" }, baseUrl: "https://example.org/" });
  assert.deepEqual(Object.keys(made), [
    "codec", "wire", "prior", "packed", "fragment", "url", "hash", "markdownUrl", "markdownLink", "markdownLinkLength",
    "discordMarkdownLinkWarning", "visibleLength", "transportLength", "fitsFragmentBudget", "fitsTarget", "assetSet",
    "candidates", "warnings",
  ]);
  assert.equal(made.url, `https://example.org/#${made.fragment}`);
  assert.equal(made.markdownLink, `[Hi](${made.url})`);
});

test("the page's Markdown links are the codec's, whatever the label and the address", async () => {
  const codec = create();
  const labels = ["a [b] \\ c", "\\]", "](https://evil.example/)", "[[]]\\\\", "  around\u3000\n", " \t\ufeff", "a\nb", "`c` *d* <e> &amp; !", "\u{1f680}\u202e", "$& $1 $`"];
  for (const label of labels)
    for (const baseUrl of ["https://example.org/", "https://example.org/a(b)?c=[d]"]) {
      const made = await codec.encode({ artifact: { kind: "markdown", content: "x" }, codec: "plain", baseUrl, label });
      assert.equal(markdownLink(label, made.markdownUrl), made.markdownLink, JSON.stringify(label));
    }
});

test("assetSets lists them, the active one first", async () => {
  const { test: one, odd } = server.sets;
  assert.deepEqual(await create("odd+test").assetSets(), { active: odd.id, sets: [odd.id, one.id] });
});

test("the active set is tried first, then the others; the result names it", async () => {
  const { test: one, odd } = server.sets;
  const codec = create("test+odd");
  const mine = await codec.decode(madeWithTest.arx5.text);
  assert.equal(mine.assetSet, one.id);
  assert.deepEqual(mine.otherSets, [odd.id]);
  assert.ok(!server.requests.some((file) => file.startsWith(odd.id)), "the other set is not loaded for nothing");
  const other = await codec.decode(madeWithOdd.arx5.fragment.text);
  assert.equal(other.assetSet, odd.id);
  assert.deepEqual(other.otherSets, [one.id]);
  assert.equal(other.envelope.artifacts[0].content, envelopeNamed("md-1k").artifacts[0].content);
});

test("a set that is asked for is used, and no other", async () => {
  const { test: one, odd } = server.sets;
  const codec = create("test+odd");
  const named = await codec.decode(madeWithOdd.arx2.fragment.text, { assetSet: odd.id });
  assert.equal(named.assetSet, odd.id);
  assert.deepEqual(named.otherSets, [one.id]);
  assert.equal(named.warnings.length, 1);
  assert.match(named.warnings[0], new RegExp(`${odd.id}.*${one.id}`));
  await assert.rejects(codec.decode(madeWithOdd.arx5.fragment.text, { assetSet: one.id }), { name: "CodecError", code: "invalid-json" });
  await assert.rejects(codec.decode(madeWithTest.arx5.text, { assetSet: "0123456789abcdef" }), {
    code: "unknown-asset-set",
    message: "The asset set 0123456789abcdef, with which this link was made, is not known here.",
  });
  const made = await codec.encode({ envelope: envelopeNamed("md-1k"), codec: "arx5" }, { assetSet: odd.id });
  assert.equal(made.assetSet, odd.id);
  assert.equal(made.fragment, madeWithOdd.arx5.fragment.text);
});

test("files that cannot be had are an error that says so, and asked for again", async () => {
  const codec = create("nowhere");
  for (let i = 0; i < 2; i++) {
    server.requests.length = 0;
    await assert.rejects(codec.decode(madeWithTest.arx5.text), { code: "network", message: "index.json is missing on this server." });
    assert.equal(server.requests.length, 1);
  }
  assert.equal((await codec.decode(small)).codec, "plain", "what needs no set still works");

  const { files } = server.sets.test;
  const dictionary = files[0];
  try {
    files[0] = Buffer.from("{}");
    await assert.rejects(create("test").decode(madeWithTest.arx5.text), { code: "asset-unavailable" });
    files[0] = null;
    const late = create("test");
    await assert.rejects(late.decode(madeWithTest.arx5.text), {
      code: "asset-unavailable",
      message: `The asset set ${server.sets.test.id} could not be loaded.`,
    });
  } finally {
    files[0] = dictionary;
  }
});

test("a set without priors says which one is missing", async () => {
  const { files } = server.sets.test;
  const priors = files[2];
  try {
    files[2] = null;
    await assert.rejects(create("test").decode(madeWithTest.arx5.text), {
      code: "asset-unavailable",
      message: 'The arx4 priors asset is unavailable, so the "m" prior cannot be rebuilt. Reload to try again.',
    });
    const made = await create("test").encode({ envelope: envelopeNamed("md-1k"), codec: "arx5" });
    assert.equal(made.prior, "s");
  } finally {
    files[2] = priors;
  }
});

test("the budget holds unless it is skipped", async () => {
  const codec = create();
  const { fragment } = await codec.encode({ envelope: envelopeNamed("md-190k"), codec: "arx5" });
  await assert.rejects(codec.decode(fragment), {
    code: "too-large",
    message: "This payload exceeds the supported fragment budget of 8,192 characters.",
  });
  const { envelope } = await codec.decode(fragment, { skipBudget: true });
  assert.equal(envelope.artifacts[0].content, envelopeNamed("md-190k").artifacts[0].content);
});

test("a newer call of the same group takes the place of the older one", async () => {
  const codec = create();
  const older = codec.decode(madeWithTest.arx5.text);
  const newer = codec.decode(small);
  const beside = codec.inspect(small);
  const grouped = codec.decode(small, { group: "another" });
  await assert.rejects(older, { name: "AbortError" });
  assert.equal((await newer).codec, "plain");
  assert.equal((await beside).codec, "plain");
  assert.equal((await grouped).codec, "plain");
  assert.equal(codec.count.started, 1);
});

test("an aborted signal ends a call at once, whatever it is doing", async () => {
  const codec = create();
  await assert.rejects(codec.decode(small, { signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal(codec.count.started, 0);

  const controller = new AbortController();
  const first = codec.decode(madeWithTest.arx5.text, { signal: controller.signal });
  const second = codec.inspect(small);
  controller.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.equal((await second).codec, "plain");

  await assert.rejects(codec.encode({ envelope: envelopeNamed("md-190k") }, { signal: AbortSignal.timeout(30) }), { name: "TimeoutError" });
});

test("a call that was given up and will not end is ended with its worker; those behind it move on", async () => {
  const codec = create("test", { graceMs: 30 });
  await codec.encode({ envelope: envelopeNamed("md-short") });
  assert.equal(codec.count.started, 1);
  const controller = new AbortController();
  let coding;
  const isCoding = new Promise((resolve) => (coding = resolve));
  const slow = codec.encode({ envelope: envelopeNamed("md-190k") }, {
    signal: controller.signal,
    onProgress: ({ phase }) => phase === "code" && coding(),
  });
  slow.catch(() => {});
  await isCoding;
  const [one, two] = [codec.decode(madeWithTest.arx5.text), codec.inspect(small)];
  controller.abort();
  await assert.rejects(slow, { name: "AbortError" });
  assert.equal((await one).codec, "arx5");
  assert.equal((await two).codec, "plain");
  assert.equal(codec.count.started, 2);
});

test("an idle worker ends, and the next call starts another", async () => {
  const codec = create("test", { idleMs: 20 });
  await codec.decode(small);
  await new Promise((resolve) => setTimeout(resolve, 80));
  await codec.decode(small);
  assert.equal(codec.count.started, 2);
});

test("closing rejects what is under way", async () => {
  const codec = create();
  const call = codec.decode(madeWithTest.arx5.text);
  codec.close();
  await assert.rejects(call, { name: "AbortError" });
});

test("a worker that cannot be started is an error, and tried again", async () => {
  const codec = createCodec({
    workerUrl: pathToFileURL("/nonexistent.mjs"),
    assetsBase: server.origin,
    startWorker,
  });
  for (let i = 0; i < 2; i++) await assert.rejects(codec.decode(small), { code: "internal" });
});

test("a worker that breaks is replaced", async () => {
  const workers = [];
  const codec = create("test", {
    startWorker: (url) => {
      const worker = startWorker(url);
      const { postMessage } = worker;
      // the first worker's answer to its second call is a trap
      if (workers.push(worker) === 1)
        worker.postMessage = (data) =>
          data.name === "inspect" ? worker.onmessage({ data: { type: "failed", id: data.id, code: "internal", message: "trap" } }) : postMessage(data);
      return worker;
    },
  });
  assert.equal((await codec.decode(small)).codec, "plain");
  await assert.rejects(codec.inspect(small), { code: "internal" });
  assert.equal((await codec.inspect(small)).codec, "plain");
  assert.equal(workers.length, 2);
});

test("progress: an encode counts its candidates", async () => {
  const codec = create();
  const seen = [];
  await codec.encode({ envelope: envelopeNamed("md-1k") }, { onProgress: (progress) => seen.push(progress) });
  assert.equal(seen[0].phase, "load");
  const steps = seen.filter(({ phase }) => phase === "code");
  assert.deepEqual(steps.map(({ done }) => done), [0, 1, 2, 3, 4, 5, 6]);
  assert.ok(steps.every(({ total }) => total === 6));
});

test("file names say what their content is", async () => {
  const codec = create();
  assert.deepEqual(await codec.fileType("src/main.rs"), { known: true, kind: "code", language: "rust" });
  assert.deepEqual(await codec.fileType("table.csv"), { known: true, kind: "csv", language: null });
  assert.deepEqual(await codec.fileType("what"), { known: false, kind: "markdown", language: null });
});

test("requests that are none are refused, not hung on", async () => {
  const codec = create();
  await assert.rejects(codec.decode(5), { code: "invalid-request" });
  await assert.rejects(codec.encode(null), { code: "invalid-request" });
  await assert.rejects(codec.encode({ envelope: {} }), { code: "invalid-envelope" });
  await assert.rejects(codec.inspect(""), { code: "empty" });
  await assert.rejects(codec.inspect(small, { baseUrl: "nope" }), { code: "invalid-request" });
});

test("deep JSON passes", async () => {
  const codec = create();
  const deep = `{"v":1,"codec":"plain","artifacts":[{"id":"a","kind":"markdown","content":"x"}],"x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  const { envelope } = await codec.decode(`p${Buffer.from(deep).toString("base64url")}`, { skipBudget: true });
  assert.equal(envelope.artifacts[0].content, "x");
});
