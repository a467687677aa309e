/*
 * codecs.test.mjs - the page's codec in Chromium: the golden vectors, and the same results as arxd's.
 *
 * tests/page runs the vectors in Node and compares with the `arx` tool; this is the browser's side.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { allEnvelopes, pageManifest } from "../http/harness.mjs";
import { hasLoneSurrogate } from "../http/vectors.mjs";
import { checks } from "../page/checks.mjs";
import { serve } from "../page/serve.mjs";
import { launch, startBrowser, TAGS } from "./browser.mjs";

/* ---- the golden vectors ---- */

let results;
before(async () => {
  const vectors = await serve();
  const browser = await launch();
  after(async () => {
    await browser.close();
    await vectors.stop();
  });
  const page = await browser.newPage();
  await page.goto(`${vectors.origin}/tests/page/browser.html?sets=${Object.keys(vectors.sets).join(",")}`);
  await page.waitForFunction(() => document.title !== "running", null, { timeout: 300_000 });
  results = await page.evaluate(() => window.results);
});

for (const { name, needs } of checks({}))
  test(`vectors: ${name}`, (t) => {
    const result = results.find((one) => one.name === name);
    if (result.skipped) return t.skip(`${needs}: ARX_UPSTREAM_ASSETS is not set`);
    assert.equal(result.error, undefined);
    assert.ok(result.count >= 8, `${result.count} compared`);
    t.diagnostic(`${result.count} compared`);
  });

/* ---- against the C library, by arxd ---- */

/** Lone surrogates, which a request of REST may not hold, are the vectors' matter. */
const envelopes = allEnvelopes()
  .map(({ envelope }) => envelope)
  .filter((envelope) => !hasLoneSurrogate(envelope));
const { server, open } = await startBrowser();

/** Runs calls through the built worker, with arxd's own headers and policies. */
async function work(page, calls) {
  const worker = pageManifest().entries["codec/worker.mjs"];
  await page.goto("/robots.txt"); // a document of no policy, so that only the worker's own is at work
  return page.evaluate(
    async ({ url, list }) => {
      const worker = new Worker(url, { type: "module" });
      const answers = new Promise((resolve, reject) => {
        const got = [];
        worker.onerror = (event) => reject(new Error(`worker: ${event.message}`));
        worker.onmessage = ({ data }) => {
          if (data.type === "failed") got.push({ ok: false, code: data.code, message: data.message });
          if (data.type === "done") got.push(JSON.parse(data.text));
          if (got.length === list.length) resolve(got);
        };
      });
      worker.postMessage({ type: "start", assetsBase: `${location.origin}/` });
      list.forEach(({ name, request }, id) => worker.postMessage({ type: "call", id, name, request: JSON.stringify(request) }));
      return answers.finally(() => worker.terminate());
    },
    { url: worker, list: calls },
  );
}

const EXACT = ["plain", "lz", "arx4", "arx5"];

for (const codec of Object.values(TAGS))
  test(`${codec}: what the page makes and what arxd makes`, { timeout: 300_000 }, async (t) => {
    const page = await open(t, { allow: [/favicon\.ico/] }); // which a browser asks for beside a plain text
    const theirs = [];
    for (const envelope of envelopes) theirs.push((await server.post("/encode", { envelope, codec })).body);
    const ours = await work(page, envelopes.map((envelope) => ({ name: "encode", request: { envelope, codec } })));
    const made = theirs.flatMap(({ fragment }, i) => (fragment === undefined ? [] : [i]));
    assert.ok(made.length >= envelopes.length - 4, `${made.length} of ${envelopes.length}`);

    if (EXACT.includes(codec)) for (const i of made) assert.equal(ours[i].fragment, theirs[i].fragment, `envelope ${i}`);
    const total = (all) => made.reduce((sum, i) => sum + all[i].transportLength, 0);
    assert.ok(total(ours) <= total(theirs) * 1.005, `${total(ours)} against ${total(theirs)}`);
    t.diagnostic(`${made.length} envelopes, ${total(ours)} against ${total(theirs)} characters`);

    const decode = (all) => made.map((i) => ({ name: "decode", request: { fragment: all[i].fragment, skipFragmentBudget: true } }));
    const own = await work(page, decode(ours));
    const other = await work(page, decode(theirs));
    for (const [k, i] of made.entries()) {
      assert.ok(own[k].ok && other[k].ok, `envelope ${i}: ${own[k].message ?? other[k].message}`);
      assert.deepEqual(own[k].envelope, other[k].envelope, `envelope ${i}`);
      assert.equal(own[k].codec, codec);
      const { body } = await server.post("/decode", { fragment: ours[i].fragment, skipFragmentBudget: true });
      if (body.envelope) assert.deepEqual(body.envelope, JSON.parse(JSON.stringify(own[k].envelope)), `envelope ${i} by arxd`);
    }
  });
