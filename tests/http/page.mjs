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
