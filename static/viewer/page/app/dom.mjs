/* dom.mjs - elements made by hand. Text goes in as text; no HTML is ever parsed here. */

/**
 * h("button", { class: "action", type: "button", onclick: run }, "Copy")
 * Properties that are functions are listeners, `dataset` is an object, false and null leave an
 * attribute out, true gives an empty one. Children: nodes, strings, arrays of them; null is nothing.
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children)
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) element.append(child);
}

/** A real button; `word` is its text. */
export const button = (word, onclick, properties) =>
  h("button", { type: "button", class: "action", ...properties, onclick }, word);

/** Adds a style sheet once; resolves when it applies, also when it could not be had: text stays readable. */
const sheets = new Map();
export function style(url) {
  if (!sheets.has(url))
    sheets.set(
      url,
      new Promise((resolve) => {
        const link = h("link", { rel: "stylesheet", href: url, onload: resolve, onerror: resolve });
        document.head.append(link);
      }),
    );
  return sheets.get(url);
}

/** Lets the browser paint and answer input. */
export const breathe = () =>
  globalThis.scheduler?.yield ? globalThis.scheduler.yield() : new Promise((resolve) => setTimeout(resolve));

/** A slice of work on the main thread, below what a person can feel. */
const SLICE_MS = 12;

/**
 * Calls `each(item, index)` for all items, in slices between which the browser breathes.
 * Rejects with the signal's reason when it aborts.
 */
export async function inSlices(items, signal, each) {
  let end = performance.now() + SLICE_MS;
  let index = 0;
  for (const item of items) {
    each(item, index++);
    if (performance.now() < end) continue;
    await breathe();
    signal?.throwIfAborted();
    end = performance.now() + SLICE_MS;
  }
}

export const number = (value) => value.toLocaleString("en-US");
export const counted = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;
