/* probe.mjs - opens the module of probe.c: `probe(call)` runs one stage. For Node and browsers. */
import { createCore } from "../../static/viewer/codec/core.mjs";

const host = { has: () => true, stage: () => 4, url: (text) => new URL(text).href, progress() {} };

/** @param {BufferSource} bytes of build/wasm/probe.wasm */
export async function openProbe(bytes) {
  const core = await createCore(await WebAssembly.compile(bytes), host);
  const { exports } = core;
  const memory = () => new Uint8Array(exports.memory.buffer);
  return {
    addSet: core.addSet,
    probe(call) {
      const json = new TextEncoder().encode(JSON.stringify(call));
      const block = exports.web_alloc(json.length);
      memory().set(json, block);
      if (exports.probe(block, json.length) !== 0) throw new Error(`probe failed: ${JSON.stringify(call).slice(0, 100)}`);
      const at = exports.probe_answer();
      return JSON.parse(new TextDecoder().decode(memory().subarray(at, at + exports.probe_answer_len())));
    },
  };
}
