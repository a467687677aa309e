/*
 * inflate.mjs - the deflate stage of a decode, by fflate (format.md 3.2).
 *
 * fflate is small and reads what the format reads: it does not mind a stored block whose length is
 * not said twice. Its streaming class is fed in slices, so that a bomb is noticed after a slice's
 * worth of output and not at its end.
 */
import { Inflate } from "fflate";
import { RESULT } from "./core.mjs";

const SLICE_BYTES = 512; // 0.5 MB of output at most

/** A raw stream; the bytes, or a RESULT. */
function inflateRaw(stream, max) {
  const parts = [];
  let length = 0;
  const inflate = new Inflate((part) => {
    parts.push(part);
    length += part.length;
  });
  try {
    for (let at = 0; at < stream.length || at === 0; at += SLICE_BYTES) {
      const end = at + SLICE_BYTES;
      inflate.push(stream.subarray(at, end), end >= stream.length);
      if (length > max) return RESULT.overLimit;
    }
  } catch {
    return RESULT.malformed;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** RFC 1950's two bytes, without a preset dictionary. */
const hasZlibHeader = (stream) =>
  stream.length >= 2 &&
  (stream[0] & 15) === 8 &&
  stream[0] >> 4 <= 7 &&
  (stream[0] * 256 + stream[1]) % 31 === 0 &&
  (stream[1] & 0x20) === 0;

/** Raw DEFLATE, else zlib with neither dictionary nor Adler check. */
export function inflate(stream, max) {
  const raw = inflateRaw(stream, max);
  if (raw !== RESULT.malformed || !hasZlibHeader(stream)) return raw;
  return stream.length < 6 ? RESULT.malformed : inflateRaw(stream.subarray(2, -4), max);
}
