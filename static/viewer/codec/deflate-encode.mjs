/*
 * deflate-encode.mjs - the deflate stage of an encode, loaded by the first one that tries it: pako,
 * which is zlib in JavaScript and makes what the service makes, give or take the versions of both.
 * (fflate, which reads the streams, would write them 3 % longer.)
 */
import { deflateRaw } from "pako";

/** @returns the stage this module brings; see brotli-decode.mjs */
export async function load() {
  return { deflate_compress: (bytes) => deflateRaw(bytes, { level: 9, memLevel: 9 }) };
}
