/*
 * core.mjs - one instance of the WebAssembly module (static/viewer/wasm/web.h is its manual).
 *
 * Knows pointers and nothing else: texts go in, answers come out. The host's functions are given by
 * the caller and work on plain byte arrays. Runs wherever there is WebAssembly.
 */

/** arx_result of codec/result.h, for the host's functions. */
export const RESULT = { ok: 0, noMemory: 1, malformed: 2, overLimit: 3, unavailable: 4 };

/** web_outcome. */
const NEEDS = 1;

/** Functions of the host that turn bytes into bytes, by the name of their import. */
const STAGES = ["brotli_compress", "brotli_decompress", "deflate_compress", "deflate_decompress"];

/**
 * @param {WebAssembly.Module} module
 * @param {object} host
 *   has(module) - is "brotli-decode", "brotli-encode" or "deflate-encode" loaded?
 *   stage(name, bytes, max) - Uint8Array of what the stage made of `bytes`, or a RESULT
 *   url(text) - the serialisation of a URL without its fragment, or null
 *   progress(done, total)
 */
export async function createCore(module, host) {
  const modules = ["brotli-decode", "brotli-encode", "deflate-encode"];
  let exports;

  // memory.buffer changes whenever the memory grows: never keep a view over a call
  const bytes = (pointer, length) => new Uint8Array(exports.memory.buffer, pointer, length);

  /** Appends what a host function made to its output buffer. */
  const give = (made, out) => {
    if (typeof made === "number") return made;
    if (made.length === 0) return RESULT.ok;
    const pointer = exports.web_extend(out, made.length);
    if (pointer === 0) return RESULT.noMemory;
    bytes(pointer, made.length).set(made);
    return RESULT.ok;
  };

  const imports = {
    has: (index) => Number(host.has(modules[index])),
    url: (pointer, length, out) => {
      const url = host.url(decoder.decode(bytes(pointer, length)));
      return give(url === null ? RESULT.malformed : encoder.encode(url), out);
    },
    progress: (done, total) => host.progress(done, total),
  };
  for (const name of STAGES)
    imports[name] = (pointer, length, ...rest) => {
      const out = rest.at(-1);
      const max = rest.length > 1 ? rest[0] >>> 0 : Infinity;
      return give(host.stage(name, bytes(pointer, length).slice(), max), out);
    };

  ({ exports } = await WebAssembly.instantiate(module, { host: imports }));
  exports._initialize();

  /** A block of the module's memory that holds these arrays one behind the other. */
  const place = (...parts) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const pointer = exports.web_alloc(length);
    if (pointer === 0) throw new RangeError("not enough memory");
    let at = pointer;
    for (const part of parts) {
      bytes(at, part.length).set(part);
      at += part.length;
    }
    return [pointer, length];
  };

  const answer = () => decoder.decode(bytes(exports.web_answer(), exports.web_answer_len()));

  return {
    exports,

    /**
     * Makes a call: "decode", "encode", "inspect" or "filetype", with a JSON text as web.h says.
     * @returns {{needs: object} | {text: string}} what is missing, or the answer as JSON
     */
    call(name, json) {
      const outcome = exports[`web_${name}`](...place(encoder.encode(json)));
      return outcome === NEEDS ? { needs: JSON.parse(answer()) } : { text: answer() };
    },

    /**
     * Hands over an asset set's files. `whole`: also its priors, or it is known to have none.
     * @returns {{ok: true} | {ok: false, code: string, message: string}}
     */
    addSet(id, dictionary, overlay, priors, whole) {
      const none = new Uint8Array(0);
      const [pointer] = place(encoder.encode(id), dictionary, overlay, priors ?? none);
      exports.web_set(pointer, dictionary.length, overlay.length, priors?.length ?? 0, Number(whole));
      return JSON.parse(answer());
    },
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
