/* A short link's page, as a browser reads it. */
import assert from "node:assert/strict";

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#13": "\r" };

/** The text of an attribute or an element, its entities resolved. */
export const unescape = (text) =>
  text.replace(/&([^;]*);/g, (all, name) => {
    assert.ok(name in ENTITIES, `entity ${all}`);
    return ENTITIES[name];
  });

/** The payload: what the page's one data attribute of that name says. */
export function payloadOf(page) {
  const found = [...page.matchAll(/ data-payload="([^"]*)"/g)];
  assert.equal(found.length, 1, "one payload");
  return unescape(found[0][1]);
}

/** Payloads that would end the page's markup, name parts of a template or be read as something else. */
export const PAYLOADS = [
  ["an ordinary fragment", "fmB.H_ShLz2GhficGgi5kKCFr3R_ULkCp4SkCw5eAA"],
  ["</script>", "p</script><script>alert(1)</script>"],
  ["</SCRIPT > and a comment", "</SCRIPT ><!--<script>--!>"],
  ["quotes that end attributes", `" onload="alert(1)" x='y'>`],
  ["template text", "$$ $& $' $` $1 ${x} {{x}} <%= x %> %s"],
  ["entities", "&amp; &lt;b&gt; &#39; &quot &"],
  ["separators", "\u2028\u2029\u0085\u00a0\ufeff"],
  ["controls", "\t\n\u000b\f\r\n\r\u001f\u007f\u009f"],
  ["backslashes", "\\\\ \\u003c \\\""],
  ["emoji and the ends of planes", "\u{1f680}\u{1f469}\u200d\u{1f4bb}\uffff\ufffe\u{10ffff}"],
  ["the densest wire", "em\ufff0\u00a1\u00be\u4b64\u632d\u40d8\u5e07\uc6f3\ub3dd\u5265\u97c9\ucd8b\ucd6f\ub452\u9f65\uc496\u4eb6"],
  ["a long one", `p${"<&\"'>\u2028x".repeat(60_000)}`],
];
