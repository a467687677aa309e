/*
 * brotli-decode.mjs - the Brotli stage of a decode (format.md 7.1), loaded by the first fragment
 * that needs it: brotli-dec-wasm, a decoder alone, at a sixth of the size of one with an encoder.
 */
import init, { BrotliDecStream, BrotliStreamResultCode } from "brotli-dec-wasm/web";
import wasmFile from "brotli-dec-wasm/web/bg.wasm";

/**
 * @param tools compile(url) and RESULT: given, so that no chunk is shared with the worker and the
 *   worker itself is one file
 * @returns the stage this module brings, for createEngine()
 */
export async function load({ compile, RESULT }) {
  await init({ module_or_path: await compile(new URL(wasmFile, import.meta.url)) });

  function brotli_decompress(stream, max) {
    const decoder = new BrotliDecStream();
    try {
      const result = decoder.dec(stream, max + 1);
      const { code, buf } = result;
      result.free();
      if (code === BrotliStreamResultCode.NeedsMoreOutput || buf.length > max) return RESULT.overLimit;
      return code === BrotliStreamResultCode.ResultSuccess ? buf : RESULT.malformed;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error; // not the stream's fault
      return RESULT.malformed;
    } finally {
      decoder.free();
    }
  }

  return { brotli_decompress };
}
