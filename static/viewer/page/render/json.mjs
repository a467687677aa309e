/*
 * json.mjs - a JSON document as a tree: native disclosures, all open, filled as far as somebody looks.
 *
 * The first OPEN_NODES are made at once; what is deeper or later is made when it is opened, searched for
 * or paged to, so that no document is too large for the page.
 */
import { built } from "arxd:build";
import { copyButton } from "../app/clipboard.mjs";
import { button, h, number, style } from "../app/dom.mjs";
import { bodyOf } from "../app/kinds.mjs";
import { builtUrl } from "../app/trust.mjs";
import { labelOf, pathOf, readJson, search } from "./json-data.mjs";
import { showRaw } from "./raw.mjs";

const DEPTH = 200;
const OPEN_NODES = 2500;
/** Children of one node that are shown at once. */
const PAGE = 250;
const LEVELS = [1, 2, 3];

const keyElement = (node) =>
  node.key === null ? null : [h("span", { class: typeof node.key === "number" ? "index" : "key" }, String(node.key)), h("span", { class: "colon" }, ": ")];

function tree(root, onSelect) {
  const elements = new Map(); // node -> its element, if it is made
  let budget = OPEN_NODES;

  function leaf(node) {
    return h("button", { type: "button", class: "leaf", onclick: () => onSelect(node) }, keyElement(node), h("span", { class: `value ${node.type}` }, node.text));
  }

  function branch(node, depth) {
    const children = h("div", { class: "children" });
    const element = h(
      "details",
      { class: "branch", ontoggle: () => element.open && fill() },
      h("summary", { onclick: () => onSelect(node) }, keyElement(node), h("span", { class: "label" }, labelOf(node))),
      children,
    );
    let made = 0;
    /** Makes children up to that index, or another page of them. */
    function fill(upTo = 0) {
      if (made > upTo && made > 0) return;
      if (depth >= DEPTH) {
        children.replaceChildren(h("p", { class: "quiet" }, "max depth reached"));
        made = Infinity;
        return;
      }
      const end = Math.min(node.children.length, Math.max(made + PAGE, upTo + 1));
      children.querySelector(":scope > .next")?.remove();
      for (; made < end; made++) children.append(nodeElement(node.children[made], depth + 1));
      if (made < node.children.length)
        children.append(button(`Show ${number(Math.min(PAGE, node.children.length - made))} more of ${number(node.children.length)}`, () => fill(made), { class: "action next" }));
    }
    element.fill = fill;
    if (budget > 0 || depth === 0) {
      element.open = true;
      fill();
    }
    return element;
  }

  function nodeElement(node, depth) {
    budget--;
    const element = node.children ? branch(node, depth) : leaf(node);
    elements.set(node, element);
    return element;
  }

  /** Makes and opens all that is around a node; returns its element, or null below the depth shown. */
  function reveal(node) {
    const way = [];
    for (let at = node; at.parent; at = at.parent) way.unshift(at);
    if (way.length > DEPTH) return null;
    for (const step of way) {
      const parent = elements.get(step.parent);
      parent.fill(step.parent.children.indexOf(step));
      parent.open = true;
    }
    return elements.get(node);
  }

  /** Opens what is above a level, closes the rest; Infinity opens what has been made. */
  function openTo(level) {
    for (const [node, element] of [...elements]) {
      if (!node.children) continue;
      let depth = 0;
      for (let at = node; at.parent; at = at.parent) depth++;
      element.open = depth < level;
    }
  }

  return { element: nodeElement(root, 0), elements, reveal, openTo };
}

export async function render(host, artifact, { signal, tools }) {
  await style(builtUrl(built["tree.entry.css"]));
  signal.throwIfAborted();
  const text = bodyOf(artifact);
  let root;
  try {
    root = readJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? "This document nests too deeply to be laid out." : `This is not valid JSON: ${error.message}`;
    host.append(h("p", { class: "remark", role: "alert" }, `${reason} Here is its plain text.`));
    return showRaw(host, artifact, { signal });
  }

  let selected = null;
  const path = h("code", { class: "path" });
  const where = h(
    "div",
    { class: "where", hidden: true },
    path,
    copyButton("Copy path", () => pathOf(selected), signal),
    copyButton("Copy value", () => text.slice(...selected.source), signal),
  );
  function select(node) {
    view.elements.get(selected)?.classList.remove("selected");
    selected = node;
    view.elements.get(node)?.classList.add("selected");
    path.textContent = pathOf(node);
    where.hidden = false;
  }
  const view = tree(root, select);
  const body = h("div", { class: "tree", dir: "ltr" }, view.element);
  host.append(body, where);

  // ---- search ----
  let found = [];
  let at = -1;
  const status = h("span", { class: "chip", role: "status" });
  function step(by) {
    if (found.length === 0) return;
    at = (at + by + found.length) % found.length;
    const element = view.reveal(found[at]);
    select(found[at]);
    element?.scrollIntoView({ block: "center" });
    status.textContent = `${number(at + 1)} of ${number(found.length)}`;
  }
  const box = h("input", {
    type: "search",
    class: "field",
    placeholder: "Search",
    "aria-label": "Search keys and values; Enter for the next",
    oninput: () => {
      at = -1;
      found = box.value.trim() ? search(root, box.value.trim()) : [];
      status.textContent = box.value.trim() && found.length === 0 ? "Nothing" : "";
      step(1);
    },
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    },
  });

  // ---- levels ----
  const levels = h(
    "span",
    { class: "choices", role: "group", "aria-label": "Open levels" },
    LEVELS.map((level) => button(`Level ${level}`, () => view.openTo(level))),
    button("All", () => view.openTo(Infinity)),
  );
  if (root.children) tools.append(box, status, levels);
}
