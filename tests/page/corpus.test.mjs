/*
 * corpus.test.mjs - every text of the benchmark corpus goes the three ways there are, `arx encode`, a
 * running arxd and the page's WebAssembly core, with the default set; each reads what the others made.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createCodec } from "../../static/viewer/codec/client.mjs";
import { startServer } from "../http/harness.mjs";
import { arx, lines } from "../tool/tool.mjs";
import { startWorker } from "./node-worker.mjs";
import { PAGE, ROOT } from "./serve.mjs";

const CORPUS = "tests/bench/corpus";
const files = fs
  .readdirSync(path.join(ROOT, CORPUS))
  .filter((name) => name !== "README.md")
  .map((name) => path.join(CORPUS, name));
const manifest = JSON.parse(fs.readFileSync(path.join(PAGE, "manifest.json"), "utf8"));

let server, codec, rows;
const awake = setInterval(() => {}, 1000); // the worker keeps nothing alive, nor does the daemon
before(async () => {
  server = await startServer();
  codec = createCodec({
    workerUrl: pathToFileURL(path.join(PAGE, manifest.entries["codec/worker.mjs"])),
    assetsBase: `${server.origin}/`,
    startWorker,
  });
  const made = files.map((file) => {
    const { code, stdout, stderr } = arx(["encode", "--json", file]);
    assert.equal(code, 0, `${file}: ${stderr}`);
    return JSON.parse(stdout);
  });
  const read = lines("decode", made.map(({ fragment }) => ({ fragment, skipFragmentBudget: true })));
  rows = files.map((file, i) => ({ file, byTool: made[i], envelope: read[i].envelope }));
});
after(async () => {
  clearInterval(awake);
  codec.close();
  await server.stop();
});

test("the corpus is whole", () => {
  assert.ok(files.length >= 64, `${files.length} files`);
  for (const { file, envelope } of rows) {
    const source = fs.readFileSync(path.join(ROOT, file), "utf8");
    const { artifacts } = envelope;
    if (artifacts.length > 1) assert.deepEqual(artifacts, JSON.parse(source).artifacts, file);
    else assert.equal(artifacts[0].content ?? artifacts[0].patch, source, file);
  }
});

test("arxd makes the tool's fragments, to the byte, and reads them", async () => {
  for (const { file, byTool, envelope } of rows) {
    const encoded = await server.post("/encode", { envelope });
    assert.equal(encoded.status, 200, `${file}: ${encoded.text}`);
    assert.equal(encoded.body.fragment, byTool.fragment, file);
    assert.equal(encoded.body.assetSet, byTool.assetSet, file);
    const decoded = await server.post("/decode", { fragment: byTool.fragment, skipFragmentBudget: true });
    assert.equal(decoded.status, 200, `${file}: ${decoded.text}`);
    assert.deepEqual(decoded.body.envelope, envelope, file);
    assert.equal(decoded.body.assetSet, byTool.assetSet, file);
  }
});

test("the page makes the same fragments as the tool, and each reads the other's", async () => {
  const byPage = [];
  for (const { file, byTool, envelope } of rows) {
    const encoded = await codec.encode({ envelope });
    // arx5 is the shortest for all of them, and the same core makes it
    assert.equal(encoded.fragment, byTool.fragment, file);
    byPage.push(encoded.fragment);
    const decoded = await codec.decode(byTool.fragment, { skipBudget: true });
    assert.deepEqual(decoded.envelope, envelope, file);
    assert.equal(decoded.assetSet, byTool.assetSet, file);
  }
  const back = lines("decode", byPage.map((fragment) => ({ fragment, skipFragmentBudget: true })));
  back.forEach((answer, i) => assert.deepEqual(answer.envelope, rows[i].envelope, rows[i].file));
});
