/* vectors.mjs - comparing with golden values, which are kept as a hash where they are long. */
import { createHash } from "node:crypto";

/** Does `got` equal what a vector says: a string, { text } or { sha256, length }? */
export function matchesVector(wanted, got) {
  if (typeof wanted === "string") return got === wanted;
  if (typeof wanted?.text === "string") return got === wanted.text;
  if (typeof wanted?.fragment === "string" || wanted?.fragment?.sha256)
    return matchesVector(wanted.fragment, got);
  if (wanted?.text?.sha256) return matchesVector(wanted.text, got);
  if (!wanted?.sha256) throw new Error(`not a golden value: ${JSON.stringify(wanted)}`);
  const sum = createHash("sha256").update(got, "utf8").digest("hex");
  return sum === wanted.sha256 && (wanted.length === undefined || got.length === wanted.length);
}

/** True where some string in `value` is not well-formed Unicode. */
export function hasLoneSurrogate(value) {
  if (typeof value === "string") return !value.isWellFormed();
  if (value && typeof value === "object") return Object.values(value).some(hasLoneSurrogate);
  return false;
}

/** A fragment of the arx family, compact or legacy: it needs an asset set to be read. */
export function needsAssets(fragment) {
  const body = fragment.replace(/^#/, "");
  if (body.startsWith("agent-render=")) return body.startsWith("agent-render=v1.arx");
  return /^[abcef]/.test(body);
}
