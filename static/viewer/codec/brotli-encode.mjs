/*
 * brotli-encode.mjs - the Brotli stage of an encode (format.md 7.1), loaded by the first one that
 * tries an arx codec: brotli-wasm at quality 11, whose window is 22 as the format asks.
 */
import init, { compress } from "brotli-wasm/web";
import wasmFile from "brotli-wasm/web/bg.wasm";

/** @returns the stage this module brings; see brotli-decode.mjs */
export async function load({ compile, RESULT }) {
  await init(await compile(new URL(wasmFile, import.meta.url)));

  function brotli_compress(bytes) {
    try {
      return compress(bytes, { quality: 11 });
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return RESULT.noMemory;
    }
  }

  return { brotli_compress };
}
