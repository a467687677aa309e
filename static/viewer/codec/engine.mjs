/*
 * engine.mjs - calls of the codec from beginning to end: gets what a call lacks and makes it again.
 *
 * Where things come from is the caller's: see createEngine(). The engine keeps what it got: the
 * instance with its asset sets and primed models, the list of sets, the bytes of their files. Calls
 * may overlap while they wait for files; in the instance there is only ever one.
 */
import { createCore } from "./core.mjs";
import { abortError, CodecError } from "./errors.mjs";

const FILES = { dictionary: "arx-dictionary.json", overlay: "arx2-dictionary.json", priors: "arx4-priors.json" };

/** More turns than any call takes: a set has two, the list and the modules one each. */
const MAX_TURNS = 100;

/**
 * @param {object} from
 *   module() - the compiled WebAssembly.Module
 *   index() - the parsed /assets/index.json
 *   file(set, name) - bytes of a set's file, or null when there is no such file
 *   load(module) - loads "brotli-decode", "brotli-encode" or "deflate-encode" and gives its stages
 *   stages - stages that are there from the start
 */
export function createEngine(from) {
  const stages = { ...from.stages };
  const loaded = new Set();
  const files = new Map(); // "set/name" -> Promise of bytes or null
  let core = null; // Promise
  let index = null; // Promise
  let onProgress = null; // while a call is in the instance

  const host = {
    has: (module) => loaded.has(module),
    stage: (name, bytes, max) => stages[name](bytes, max),
    url(text) {
      // canParse is newer than the browsers we serve
      try {
        const url = new URL(text);
        url.hash = "";
        return url.href;
      } catch {
        return null;
      }
    },
    progress: (done, total) => onProgress?.("code", done, total),
  };

  /** A promise that is forgotten when it fails, so that the next call tries again. */
  const keep = (promise, forget) => {
    promise.catch(forget);
    return promise;
  };
  const getCore = () =>
    (core ??= keep(
      from.module().then((module) => createCore(module, host)),
      () => (core = null),
    ));
  const getIndex = () => (index ??= keep(from.index(), () => (index = null)));
  const getFile = (set, name) => {
    const key = `${set}/${name}`;
    if (!files.has(key)) files.set(key, keep(from.file(set, name), () => files.delete(key)));
    return files.get(key);
  };

  /** Gets a set's files and hands them over. Answers false when that cannot be done. */
  async function addSet(id, withPriors) {
    const names = [FILES.dictionary, FILES.overlay, ...(withPriors ? [FILES.priors] : [])];
    const [dictionary, overlay, priors] = await Promise.all(names.map((name) => getFile(id, name)));
    if (!dictionary || !overlay) return false;
    return (await getCore()).addSet(id, dictionary, overlay, priors, withPriors).ok;
  }

  /** Gets what a call lacks. */
  async function fetchNeeds(needs, call) {
    if (needs.index) {
      const { sets } = await getIndex();
      call.sets = sets;
    }
    if (needs.modules)
      await Promise.all(
        needs.modules.map(async (name) => {
          Object.assign(stages, await from.load(name));
          loaded.add(name);
        }),
      );
    if (needs.set && !(await addSet(needs.set, needs.priors).catch(() => false)))
      call.unavailable.push(needs.set);
  }

  return {
    /** The list of asset sets: { active, sets }. */
    index: getIndex,

    /**
     * Runs a call; the answer is a JSON text: {"ok": true, ...} or {"ok": false, "code", "message"}.
     * @param {string} name "decode", "encode", "inspect" or "filetype"
     * @param {string} request JSON; see web.h
     * @param {object} options assetSet; isCancelled(): asked at every turn; onProgress(phase, done, total)
     */
    async run(name, request, options = {}) {
      const { assetSet, isCancelled = () => false } = options;
      const call = { assetSet, unavailable: [] };
      // nearly every call asks for it as soon as the core is here: it comes meanwhile
      if (name !== "filetype") getIndex().catch(() => {});
      try {
        for (let turn = 0; turn < MAX_TURNS; turn++) {
          options.onProgress?.("load", turn, turn + 1);
          const instance = await getCore();
          if (isCancelled()) throw abortError();
          onProgress = options.onProgress;
          const { needs, text } = instance.call(name, `{"request":${request},${JSON.stringify(call).slice(1)}`);
          if (!needs) return text;
          await fetchNeeds(needs, call);
        }
        throw new CodecError("internal", "The codec asks for the same things again and again.");
      } catch (error) {
        // a trap leaves the instance in an unknown state
        if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
          core = null;
          throw new CodecError("internal", "The codec failed. Reload to try again.");
        }
        throw error;
      }
    },
  };
}
