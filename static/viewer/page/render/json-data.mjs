/*
 * json-data.mjs - JSON as a tree that keeps what was written: the order of keys, the digits of numbers,
 * keys that come twice. No DOM in here.
 *
 *   node { type, children?, key?, text?, path }
 *         type: object, array, string, number, boolean, null; text: of a scalar, as it is shown;
 *         key: name or index in the parent; path: "$.nodes[0].host", made on demand by pathOf
 */
import { parseTree } from "jsonc-parser";

const plainKey = /^[A-Za-z_$][\w$]*$/;

function toNode(text, parsed, key, parent) {
  const { type, offset, length, children } = parsed;
  const node = { type, key, parent };
  if (type === "object") node.children = children.map((property) => toNode(text, property.children[1], property.children[0].value, node));
  else if (type === "array") node.children = children.map((child, i) => toNode(text, child, i, node));
  else node.text = type === "string" ? JSON.stringify(parsed.value) : text.slice(offset, offset + length);
  node.source = [offset, offset + length];
  return node;
}

/** @returns the root node. Throws what JSON.parse throws, and a RangeError for what nests too deeply. */
export function readJson(text) {
  JSON.parse(text);
  return toNode(text, parseTree(text, [], { disallowComments: true, allowTrailingComma: false }), null, null);
}

export function pathOf(node) {
  const steps = [];
  for (let at = node; at.parent; at = at.parent)
    steps.unshift(typeof at.key === "number" ? `[${at.key}]` : plainKey.test(at.key) ? `.${at.key}` : `[${JSON.stringify(at.key)}]`);
  return `$${steps.join("")}`;
}

export const labelOf = (node) => (node.type === "array" ? `Array(${node.children.length})` : `Object(${node.children.length})`);

/** Nodes whose key or scalar holds the text, in any case, in the order of the document. */
export function search(root, wanted) {
  const text = wanted.toLocaleLowerCase();
  const found = [];
  const stack = [root];
  while (stack.length > 0) {
    const node = stack.pop();
    const isFound =
      (typeof node.key === "string" && node.key.toLocaleLowerCase().includes(text)) || (node.text?.toLocaleLowerCase().includes(text) ?? false);
    if (isFound) found.push(node);
    if (node.children) for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i]);
  }
  return found;
}
