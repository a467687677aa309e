/*
 * code.mjs - a source file: line numbers, colours, wrapping, lines that can be pointed at.
 *
 * The lines stand on the page at once, in blocks that are laid out when they come into sight; colours
 * follow from the worker. Which lines are marked is part of the history entry, not of the fragment.
 */
import { breathe, button, h, inSlices } from "../app/dom.mjs";
import { syntaxOf } from "../app/kinds.mjs";
import { colours, inkedNodes } from "./highlight.mjs";

/** Lines in one block. */
const BLOCK = 100;
const NARROW = "(max-width: 640px)";

/** Line ends of every kind; offsets stay those of the text. */
function linesOf(text) {
  const lines = [];
  const ends = /\r\n|\n|\r/g;
  let from = 0;
  for (let match = ends.exec(text); match; match = ends.exec(text)) {
    lines.push({ from, to: match.index });
    from = match.index + match[0].length;
  }
  if (from < text.length || lines.length === 0) lines.push({ from, to: text.length });
  return lines;
}

function lineElement(number, text) {
  const element = document.createElement("div");
  element.className = "line";
  const no = document.createElement("span");
  no.className = "no";
  no.dataset.n = number;
  const code = document.createElement("span");
  code.className = "text";
  code.textContent = text;
  element.append(no, code, "\n");
  return element;
}

/** A toggle that follows the width of the page until somebody has chosen. */
function wrapToggle(pre, signal) {
  const narrow = matchMedia(NARROW);
  let isChosen = false;
  const set = (isWrapped) => {
    pre.classList.toggle("wrapped", isWrapped);
    toggle.setAttribute("aria-pressed", String(isWrapped));
  };
  const toggle = button("Wrap lines", () => {
    isChosen = true;
    set(!pre.classList.contains("wrapped"));
  });
  narrow.addEventListener("change", () => !isChosen && set(narrow.matches), { signal });
  set(narrow.matches);
  return toggle;
}

/** Lines are marked by a click on their number; with Shift, all from the last one to this. */
function pointing(pre, artifactId, signal) {
  const all = () => pre.getElementsByClassName("line");
  let anchor = null;

  function mark(first, last) {
    for (const line of [...pre.getElementsByClassName("marked")]) line.classList.remove("marked");
    const lines = all();
    for (let i = first; i <= Math.min(last, lines.length); i++) lines[i - 1].classList.add("marked");
  }
  function keep(first, last) {
    history.replaceState({ ...history.state, lines: { artifactId, first, last } }, "");
  }
  pre.addEventListener(
    "click",
    (event) => {
      const no = event.target.closest?.(".no");
      if (!no) return;
      const line = Number(no.dataset.n);
      if (event.shiftKey && anchor !== null) {
        getSelection()?.removeAllRanges();
        mark(Math.min(anchor, line), Math.max(anchor, line));
        keep(Math.min(anchor, line), Math.max(anchor, line));
      } else if (anchor === line && all()[line - 1].classList.contains("marked") && pre.getElementsByClassName("marked").length === 1) {
        anchor = null;
        mark(1, 0);
        history.replaceState({ ...history.state, lines: null }, "");
      } else {
        anchor = line;
        mark(line, line);
        keep(line, line);
      }
    },
    { signal },
  );
  const kept = history.state?.lines;
  return () => {
    if (kept?.artifactId !== artifactId) return;
    anchor = kept.first;
    mark(kept.first, kept.last);
    all()[kept.first - 1]?.scrollIntoView({ block: "center" });
  };
}

export async function render(host, artifact, { signal, tools }) {
  const text = artifact.content;
  const lines = linesOf(text);
  const language = await syntaxOf(artifact);
  signal.throwIfAborted();
  const pre = h("pre", { class: "code", tabindex: "0", dir: "ltr", "aria-label": `${language} source` });
  pre.style.setProperty("--digits", String(lines.length).length);
  tools.append(h("span", { class: "chip" }, language), wrapToggle(pre, signal));
  host.append(pre);
  const restore = pointing(pre, artifact.id, signal);

  const colouring = colours(text, language, { rainbow: true });
  const blocks = [];
  for (let i = 0; i < lines.length; i += BLOCK) blocks.push({ first: i, lines: lines.slice(i, i + BLOCK) });
  await inSlices(blocks, signal, ({ first, lines: own }) => {
    const block = h("div", { class: "block" });
    block.style.setProperty("--lines", own.length);
    own.forEach(({ from, to }, i) => block.append(lineElement(first + i + 1, text.slice(from, to))));
    pre.append(block);
  });
  restore();

  const made = await colouring;
  signal.throwIfAborted();
  if (!made) return;
  const cursor = { piece: 0 };
  const texts = pre.querySelectorAll(".text");
  await breathe();
  await inSlices(lines, signal, ({ from, to }, i) => texts[i].replaceChildren(...inkedNodes(text, from, to, made, cursor)));
}
