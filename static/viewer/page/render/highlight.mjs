/*
 * highlight.mjs - colours for code that is on the page already.
 *
 * The text is there at once; its colours come from highlight.worker.mjs, and move nothing.
 */
import { built } from "arxd:build";
import { breathe } from "../app/dom.mjs";
import { workerScript } from "../app/trust.mjs";
import { INKS } from "./inks.mjs";

/** Above this, brackets are not coloured by depth. */
const RAINBOW_LIMIT = 120_000;

let worker = null;
let nextId = 1;
const waiting = new Map(); // id -> resolve

function settleAll() {
  for (const resolve of waiting.values()) resolve(null);
  waiting.clear();
  worker = null;
}

function start() {
  worker = new Worker(workerScript(built["highlight.worker.mjs"]), { type: "module", name: "arxd highlight" });
  worker.onmessage = ({ data }) => {
    waiting.get(data.id)?.(data.ends && data);
    waiting.delete(data.id);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    settleAll(); // the text stays in one ink
  };
}

/** @returns { ends, inks } of the worker, or null: nobody knows the language */
export function colours(text, language, { rainbow = false } = {}) {
  if (!worker) start();
  const id = nextId++;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker.postMessage({ id, text, language, rainbow: rainbow && text.length <= RAINBOW_LIMIT });
  });
}

/** The nodes for text[from, to), whose first piece is the one that `cursor.piece` points at or after. */
export function inkedNodes(text, from, to, { ends, inks }, cursor) {
  const nodes = [];
  let at = from;
  while (at < to) {
    while (ends[cursor.piece] <= at) cursor.piece++;
    const end = Math.min(to, ends[cursor.piece] ?? to);
    const piece = text.slice(at, end);
    const ink = INKS[inks[cursor.piece] ?? 0];
    if (ink) {
      const span = document.createElement("span");
      span.className = ink;
      span.textContent = piece;
      nodes.push(span);
    } else nodes.push(piece);
    at = end;
  }
  return nodes;
}

/** Nodes that are made in one go. */
const SLICE = 4000;

/** Colours the text of an element that holds nothing but text. */
export async function highlightInto(element, text, language, signal) {
  const made = await colours(text, language);
  if (!made || signal.aborted) return;
  const fragment = document.createDocumentFragment();
  const cursor = { piece: 0 };
  for (let i = 0; i < made.ends.length; i += SLICE) {
    const from = i === 0 ? 0 : made.ends[i - 1];
    const last = Math.min(i + SLICE, made.ends.length) - 1;
    fragment.append(...inkedNodes(text, from, made.ends[last], made, cursor));
    if (i + SLICE < made.ends.length) await breathe();
    signal.throwIfAborted();
  }
  element.replaceChildren(fragment);
}
