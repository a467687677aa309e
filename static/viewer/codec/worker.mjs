/*
 * worker.mjs - the codec's Web Worker: calls in, answers out, one after the other.
 *
 * From the page (client.mjs):
 *   { type: "start", assetsBase }              once, first
 *   { type: "call", id, name, request, assetSet }
 *   { type: "index", id }
 *   { type: "cancel", id }                     of a call that was not answered yet
 * To the page { type: "ready" } once and, for every call in the order they came, a cancelled one too:
 *   { type: "progress", id, phase, done, total }   "load" or "code"; any number of times
 *   { type: "done", id, text }                     the answer, JSON
 *   { type: "failed", id, code, message }          or "aborted" as code
 *
 * Asset sets come from /assets/<id>/, whose files never change, so a browser asks for them once;
 * which sets there are is asked anew by each worker.
 *
 * Answers are passed on as text and parsed over there: a JSON parser takes any depth, the copy that
 * a message is made of does not.
 */
import coreFile from "core.wasm";
import { RESULT } from "./core.mjs";
import { createEngine } from "./engine.mjs";
import { abortError, CodecError } from "./errors.mjs";
import { compile, get, need } from "./fetching.mjs";
import { inflate } from "./inflate.mjs";

const loaders = {
  "brotli-decode": () => import("./brotli-decode.mjs"),
  "brotli-encode": () => import("./brotli-encode.mjs"),
  "deflate-encode": () => import("./deflate-encode.mjs"),
};

let assetsBase = null;
let queue = Promise.resolve();
const waiting = new Map(); // id -> how to cancel it; null: it was

const engine = createEngine({
  module: () => compile(new URL(coreFile, import.meta.url)),
  index: async () => {
    const index = await (await need(new URL("assets/index.json", assetsBase), { cache: "no-cache" })).json();
    if (!Array.isArray(index?.sets)) throw new CodecError("network", "index.json is no list of asset sets.");
    return { active: index.active, sets: [index.active, ...index.sets.filter((id) => id !== index.active)] };
  },
  file: async (set, name) => {
    const response = await get(new URL(`assets/${set}/${name}`, assetsBase));
    return response && new Uint8Array(await response.arrayBuffer());
  },
  load: async (module) => {
    try {
      return await (await loaders[module]()).load({ compile, RESULT });
    } catch (error) {
      if (error instanceof CodecError) throw error;
      throw new CodecError("network", "A part of the codec could not be loaded. Reload to try again.");
    }
  },
  stages: { deflate_decompress: inflate },
});

function run({ id, type, name, request, assetSet }, isCancelled) {
  if (type === "index") return engine.index().then((index) => JSON.stringify({ ok: true, ...index }));
  return engine.run(name, request, {
    assetSet,
    isCancelled,
    onProgress: (phase, done, total) => self.postMessage({ type: "progress", id, phase, done, total }),
  });
}

/** A call that is cancelled while it waits for files is answered at once: others need not wait too. */
async function answer(call) {
  const { id } = call;
  let isCancelled = waiting.get(id) === null;
  const cancellation = new Promise((_, reject) => {
    waiting.set(id, () => {
      isCancelled = true;
      reject(abortError());
    });
  });
  cancellation.catch(() => {});
  try {
    if (isCancelled) throw abortError();
    const text = await Promise.race([run(call, () => isCancelled), cancellation]);
    self.postMessage({ type: "done", id, text });
  } catch (error) {
    const known = error instanceof CodecError;
    const code = known ? error.code : error.name === "AbortError" ? "aborted" : "internal";
    const message = known ? error.message : "The codec failed. Reload to try again.";
    self.postMessage({ type: "failed", id, code, message });
  }
  waiting.delete(id);
}

/** @param {number} id of a call that has not been answered */
function cancel(id) {
  const running = waiting.get(id);
  if (running) running();
  else waiting.set(id, null); // before its turn has come
}

self.onmessage = ({ data }) => {
  if (data.type === "start") {
    assetsBase = data.assetsBase;
    self.postMessage({ type: "ready" });
  } else if (data.type === "cancel") cancel(data.id);
  else queue = queue.then(() => answer(data));
};
