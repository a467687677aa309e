/*
 * highlight.worker.mjs - colours code off the main thread: highlight.js, through lowlight's trees.
 *
 * In:  { id, text, language, rainbow }
 * Out: { id, ends, inks }: Uint32Array of where each piece of `text` ends, in units, and a Uint8Array of
 *      its ink, an index of INKS; both null for a language nobody knows.
 * Brackets outside of strings and comments get an ink by their depth when `rainbow` is true.
 */
import { createLowlight } from "lowlight";
import { inkOfClass, RAINBOW } from "./render/inks.mjs";
import { grammarOf, loadGrammar } from "./render/languages.mjs";

const lowlight = createLowlight();

async function learn(name) {
  if (lowlight.registered(name)) return;
  for (const [each, grammar] of await loadGrammar(name)) if (!lowlight.registered(each)) lowlight.register({ [each]: grammar });
}

const OPEN = "([{";
const CLOSE = ")]}";

function colour(tree, rainbow) {
  const ends = [];
  const inks = [];
  let at = 0;
  let depth = 0;
  const put = (end, ink) => {
    if (end === at) return;
    at = end;
    if (inks.at(-1) === ink) ends[ends.length - 1] = end;
    else {
      ends.push(end);
      inks.push(ink);
    }
  };
  const plain = (text, ink) => {
    const start = at;
    for (let i = 0; i < text.length; i++) {
      const opens = OPEN.includes(text[i]);
      if (!opens && !CLOSE.includes(text[i])) continue;
      put(start + i, ink);
      if (!opens) depth = Math.max(0, depth - 1);
      put(start + i + 1, RAINBOW[depth % RAINBOW.length]);
      if (opens) depth++;
    }
    put(start + text.length, ink);
  };
  const walk = (node, ink, isQuoted) => {
    if (node.type === "text") {
      if (rainbow && !isQuoted) plain(node.value, ink);
      else put(at + node.value.length, ink);
      return;
    }
    const names = node.properties?.className ?? [];
    const inner = inkOfClass(names) ?? ink;
    const quoted = isQuoted || names.some((name) => /^hljs-(string|comment|regexp)$/.test(name));
    const back = isQuoted && names.some((name) => /^hljs-subst$/.test(name)) ? false : quoted;
    for (const child of node.children) walk(child, inner, back);
  };
  walk(tree, 0, false);
  return { ends: Uint32Array.from(ends), inks: Uint8Array.from(inks) };
}

async function answer({ id, text, language, rainbow }) {
  const name = grammarOf(language);
  if (!name) return self.postMessage({ id, ends: null, inks: null });
  try {
    await learn(name);
    const made = colour(lowlight.highlight(name, text), rainbow);
    self.postMessage({ id, ...made }, [made.ends.buffer, made.inks.buffer]);
  } catch {
    self.postMessage({ id, ends: null, inks: null }); // plain text can be read too
  }
}

self.onmessage = ({ data }) => answer(data);
