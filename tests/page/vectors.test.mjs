/* vectors.test.mjs - the built worker and core against the golden vectors, in Node. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createCodec } from "../../static/viewer/codec/client.mjs";
import { checks } from "./checks.mjs";
import { startWorker } from "./node-worker.mjs";
import { openProbe } from "./probe.mjs";
import { PAGE, ROOT, serve } from "./serve.mjs";

const manifest = JSON.parse(fs.readFileSync(path.join(PAGE, "manifest.json"), "utf8"));
const workerUrl = pathToFileURL(path.join(PAGE, manifest.entries["codec/worker.mjs"]));
let server;
const codecs = new Map();

before(async () => {
  server = await serve();
});
after(async () => {
  for (const codec of codecs.values()) codec.close();
  await server.stop();
});

const tools = {
  vectors: (file) => JSON.parse(fs.readFileSync(path.join(ROOT, "tests/vectors/codec", file), "utf8")),
  codec(sets) {
    if (!codecs.has(sets)) codecs.set(sets, createCodec({ workerUrl, assetsBase: `${server.origin}/sets/${sets}/`, startWorker }));
    return codecs.get(sets);
  },
  async probe(sets) {
    const { id, files } = server.sets[sets];
    const { probe, addSet } = await openProbe(fs.readFileSync(path.join(ROOT, "build/wasm/probe.wasm")));
    assert.ok(addSet(id, ...files, true).ok);
    return { probe, id };
  },
};

for (const { name, needs, run } of checks(tools)) {
  const skip = needs?.startsWith("upstream") && !process.env.ARX_UPSTREAM_ASSETS && "ARX_UPSTREAM_ASSETS is not set";
  test(name, { skip }, async (t) => {
    const compared = await run();
    assert.ok(compared >= 8, `${compared} compared`);
    t.diagnostic(`${compared} compared`);
  });
}
