/* inks.mjs - the few inks that code is written in, and which of highlight.js's classes gets which. */

/** CSS class by index; 0 is the ink of the text. */
export const INKS = [
  "",
  "ink-comment",
  "ink-keyword",
  "ink-string",
  "ink-number",
  "ink-title",
  "ink-name",
  "ink-meta",
  "ink-added",
  "ink-removed",
  "ink-strong",
  "ink-depth-0",
  "ink-depth-1",
  "ink-depth-2",
];

const BY_CLASS = {
  comment: 1, quote: 1, doctag: 1,
  keyword: 2, "selector-tag": 2, "template-tag": 2,
  string: 3, regexp: 3, char: 3, symbol: 3, bullet: 3, link: 3,
  number: 4, literal: 4,
  title: 5, section: 5, name: 5, "selector-id": 5, "selector-class": 5,
  attr: 6, attribute: 6, property: 6, variable: 6, "template-variable": 6, built_in: 6, type: 6, "selector-attr": 6, "selector-pseudo": 6,
  meta: 7,
  addition: 8, deletion: 9,
  strong: 10, emphasis: 10,
  subst: 0,
};

export const RAINBOW = [11, 12, 13];

/** @param {string[]} names classes as "hljs-title", "function_"; undefined: the ink around it goes on */
export function inkOfClass(names) {
  const main = names.find((name) => name.startsWith("hljs-"));
  return main === undefined ? undefined : BY_CLASS[main.slice("hljs-".length)];
}
