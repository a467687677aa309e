/*
 * browser.mjs - runs checks.mjs in a browser, on the server of serve.mjs: /tests/page/browser.html,
 * with ?sets=test,odd,... naming the asset sets at hand.
 *
 * Done when document.title is "passed" or "failed"; window.results then lists
 * { name, count, error, skipped }.
 */
import { createCodec } from "../../static/viewer/codec/client.mjs";
import { checks } from "./checks.mjs";
import { openProbe } from "./probe.mjs";

const json = async (url) => (await fetch(url)).json();
const sets = new URLSearchParams(location.search).get("sets")?.split(",") ?? ["test", "odd"];
const { entries } = await json("/manifest.json");
const policy = globalThis.trustedTypes?.createPolicy("arxd", { createScriptURL: (url) => url });
const workerUrl = policy?.createScriptURL(entries["codec/worker.mjs"]) ?? entries["codec/worker.mjs"];
const codecs = new Map();

const tools = {
  vectors: (file) => json(`/vectors/${file}`),
  codec(name) {
    for (const [other, codec] of codecs) if (other !== name) codec.close();
    if (!codecs.has(name)) codecs.set(name, createCodec({ workerUrl, assetsBase: `/sets/${name}/` }));
    return codecs.get(name);
  },
  async probe(name) {
    const { active: id } = await json(`/sets/${name}/assets/index.json`);
    const file = async (of) => {
      const response = await fetch(`/sets/${name}/assets/${id}/${of}`);
      return response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
    };
    const names = ["arx-dictionary.json", "arx2-dictionary.json", "arx4-priors.json"];
    const { probe, addSet } = await openProbe(await (await fetch("/probe.wasm")).arrayBuffer());
    addSet(id, ...(await Promise.all(names.map(file))), true);
    return { probe, id };
  },
};

window.results = [];
for (const { name, needs, run } of checks(tools)) {
  const result = { name };
  window.results.push(result);
  const line = document.createElement("li");
  line.textContent = `${name} ...`;
  document.getElementById("results").append(line);
  if (needs && !sets.includes(needs)) result.skipped = `no asset set "${needs}"`;
  else
    try {
      result.count = await run();
    } catch (error) {
      result.error = error.message;
    }
  line.textContent = `${name}: ${result.error ?? result.skipped ?? `${result.count} compared`}`;
}
document.title = window.results.some(({ error }) => error) ? "failed" : "passed";
