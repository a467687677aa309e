/*
 * diff.mjs - a patch, or an old and a new text, in one column or side by side.
 *
 * A worker reads it (patch.mjs); here rows become elements, in slices. Below 800 px there is one
 * column, unless somebody opens two. What cannot be read is shown as the text it is, with the reason.
 */
import { built } from "arxd:build";
import { copyButton } from "../app/clipboard.mjs";
import { button, counted, h, inSlices, number, style } from "../app/dom.mjs";
import { bodyOf, filenameOf } from "../app/kinds.mjs";
import { ask } from "../app/one-shot.mjs";
import { builtUrl } from "../app/trust.mjs";
import { showRaw } from "./raw.mjs";

const NARROW = "(max-width: 799.98px)";
const SIGNS = { "+": ["add", "+"], "-": ["del", "\u2212"], " ": ["", ""] };

function textElement({ text, marks, isUnended }) {
  const element = h("span", { class: "text" });
  let at = 0;
  for (let i = 0; i < marks.length; i += 2) {
    element.append(text.slice(at, marks[i]), h("mark", null, text.slice(marks[i], marks[i + 1])));
    at = marks[i + 1];
  }
  element.append(text.slice(at));
  if (isUnended) element.append(h("span", { class: "unended" }, " no newline at the end"));
  return element;
}

const numberElement = (n) => h("span", { class: "no", dataset: { n: n || "" } });

function unifiedRow(row) {
  const [name, sign] = SIGNS[row.type];
  return h("div", { class: `row ${name}` }, numberElement(row.old), numberElement(row.new), h("span", { class: "sign" }, sign), textElement(row), "\n");
}

function half(row, side) {
  if (!row) return h("div", { class: "half none" });
  const [name, sign] = SIGNS[row.type];
  return h("div", { class: `half ${name}` }, numberElement(row[side]), h("span", { class: "sign" }, sign), textElement(row), "\n");
}

/** Removed lines beside the added ones that took their place. */
function* pairs(rows) {
  let removed = [];
  let added = [];
  function* flush() {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) yield [removed[i], added[i]];
    removed = [];
    added = [];
  }
  for (const row of rows) {
    if (row.type === "-") {
      if (added.length > 0) yield* flush();
      removed.push(row);
    } else if (row.type === "+") added.push(row);
    else {
      yield* flush();
      yield [row, row];
    }
  }
  yield* flush();
}

const splitRow = ([left, right]) => h("div", { class: "pair" }, half(left, "old"), half(right, "new"));

const pathText = (file) =>
  (file.status === "renamed" || file.status === "copied") && file.oldPath && file.newPath
    ? `${file.oldPath} \u2192 ${file.newPath}`
    : file.path;

const counts = (file) =>
  h(
    "span",
    { class: "counts", "aria-label": `${counted(file.added, "line")} added, ${number(file.removed)} removed` },
    h("span", { class: "ink-added" }, `+${number(file.added)}`),
    " ",
    h("span", { class: "ink-removed" }, `\u2212${number(file.removed)}`),
  );

/** The shell of a file's section, its rows to come. */
function section(file, index) {
  const body = h("div", { class: "hunks" });
  const element = h(
    "section",
    { class: "file", id: `file-${index + 1}`, "aria-label": file.path },
    h(
      "header",
      null,
      h("h2", { dir: "ltr" }, pathText(file)),
      h("span", { class: "status" }, file.isBinary ? `${file.status}, binary` : file.status),
      file.isBinary ? null : counts(file),
    ),
    body,
  );
  if (file.isBinary) body.append(h("p", { class: "quiet" }, "Binary file: its content is not in the patch in a form that could be shown."));
  else if (file.hunks.length === 0)
    body.append(h("p", { class: "quiet" }, file.status === "modified" ? "No lines differ." : `${file.status[0].toUpperCase()}${file.status.slice(1)}; no lines differ.`));
  return { element, body };
}

function navigation(files, sections) {
  return h(
    "nav",
    { class: "changes", "aria-label": "Changed files" },
    h(
      "ul",
      null,
      files.map((file, i) =>
        h(
          "li",
          null,
          h(
            "button",
            { type: "button", onclick: () => sections[i].element.scrollIntoView({ block: "start" }) },
            h("span", { class: "status" }, file.isBinary ? "binary" : file.status),
            h("span", { class: "path", dir: "ltr" }, pathText(file)),
            file.isBinary ? null : counts(file),
          ),
        ),
      ),
    ),
  );
}

async function showFallback(host, artifact, { reason, detail }, signal) {
  const text = artifact.patch || bodyOf(artifact);
  host.replaceChildren(
    h(
      "div",
      { class: "remark", role: "status" },
      h("p", null, `${reason} Here is its plain text.`),
      detail ? h("p", { class: "kicker" }, detail) : null,
      copyButton("Copy raw diff", () => text, signal),
    ),
  );
  await showRaw(host, artifact, { signal });
}

/** Which layout is on, and the words that change it. */
function layoutTools(artifact, narrow, onChange, signal) {
  let chosen = null; // by somebody, of "unified" and "split"
  const current = () => chosen ?? (narrow.matches ? "unified" : artifact.view === "split" ? "split" : "unified");
  const place = h("span", { class: "choices", role: "group", "aria-label": "Layout" });
  const set = (layout) => {
    chosen = layout;
    draw();
    onChange();
  };
  function draw() {
    const isSplit = current() === "split";
    place.replaceChildren(
      ...(narrow.matches
        ? [button(isSplit ? "Back to unified" : "Open split columns", () => set(isSplit ? "unified" : "split"), { "aria-pressed": String(isSplit) })]
        : ["unified", "split"].map((layout) =>
            button(layout === "split" ? "Split" : "Unified", () => layout !== current() && set(layout), { "aria-pressed": String(layout === current()) }),
          )),
    );
  }
  narrow.addEventListener(
    "change",
    () => {
      const before = place.dataset.layout;
      draw();
      if (before !== current()) onChange();
    },
    { signal },
  );
  draw();
  return { place, current };
}

export async function render(host, artifact, { signal, tools }) {
  let ignoreSpace = false;
  const request = () => ({
    patch: artifact.patch,
    oldContent: artifact.oldContent,
    newContent: artifact.newContent,
    filename: filenameOf(artifact),
    ignoreSpace,
  });
  let model = await ask("diff.worker.mjs", request(), signal);
  if (model.failure) return showFallback(host, artifact, model.failure, signal);
  await style(builtUrl(built["diff.entry.css"]));
  signal.throwIfAborted();

  let drawing = null; // AbortController of the layout being drawn
  signal.addEventListener("abort", () => drawing?.abort());
  async function draw() {
    drawing?.abort();
    drawing = new AbortController();
    const own = drawing.signal;
    const layout = layouts.current();
    layouts.place.dataset.layout = layout;
    const sections = model.files.map(section);
    const list = h("div", { class: `diff ${layout}` }, sections.map(({ element }) => element));
    const widest = Math.max(1, ...model.files.flatMap((file) => file.hunks.flatMap((hunk) => [hunk.rows.at(-1)?.old ?? 0, hunk.rows.at(-1)?.new ?? 0])));
    list.style.setProperty("--digits", String(widest).length);
    host.replaceChildren(
      ...(model.preamble ? [h("pre", { class: "preamble", dir: "auto" }, model.preamble)] : []),
      ...(model.files.length > 1 ? [navigation(model.files, sections)] : []),
      list,
    );
    const work = model.files.flatMap((file, i) => file.hunks.map((hunk) => ({ hunk, body: sections[i].body })));
    for (const { hunk, body } of work) {
      const block = h("div", { class: "hunk" }, hunk.header ? h("div", { class: "hunk-header" }, hunk.header) : null);
      block.style.setProperty("--lines", hunk.rows.length);
      body.append(block);
      const rows = layout === "split" ? pairs(hunk.rows) : hunk.rows;
      await inSlices(rows, own, (row) => block.append(layout === "split" ? splitRow(row) : unifiedRow(row)));
    }
  }
  const redraw = () => draw().catch((error) => !signal.aborted && error.name !== "AbortError" && console.error(error));

  const layouts = layoutTools(artifact, matchMedia(NARROW), redraw, signal);
  const space = button(
    "Hide whitespace",
    async () => {
      ignoreSpace = !ignoreSpace;
      space.setAttribute("aria-pressed", String(ignoreSpace));
      const read = await ask("diff.worker.mjs", request(), signal).catch(() => null);
      if (!read || read.failure) return;
      model = read;
      redraw();
    },
    { "aria-pressed": "false" },
  );
  tools.append(layouts.place, space);
  await draw();
}
