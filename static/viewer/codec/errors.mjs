/* errors.mjs - what a call of the codec fails with. */

/**
 * A fragment, an envelope or a request that cannot be used. `code` and `message` are the format's
 * ("invalid-json", "too-large", ...), or of the codec around it: "invalid-request",
 * "asset-unavailable", "unknown-asset-set", "no-memory", "network", "internal".
 */
export class CodecError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "CodecError";
    this.code = code;
  }
}

/** What a call that was given up rejects with. */
export function abortError(message = "A newer call took its place.") {
  return new DOMException(message, "AbortError");
}
