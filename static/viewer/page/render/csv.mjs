/*
 * csv.mjs - a table: sorted by a click, filtered by a word.
 *
 * A short table is there whole. A long one has rows of one height, of which only those in sight exist;
 * on paper all of them do.
 */
import { built } from "arxd:build";
import { counted, h, number, style } from "../app/dom.mjs";
import { builtUrl } from "../app/trust.mjs";
import { showRaw } from "./raw.mjs";
import { filterRows, readTable, sortRows } from "./table-data.mjs";

/** Up to here a table is laid out whole. */
const WHOLE = 200;
const ROW_PX = 32;
/** Rows beyond the edges of what is in sight. */
const MARGIN = 20;
/** Widths of a long table's columns, in characters. */
const NARROWEST = 6;
const WIDEST = 44;

const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

/** The body of a long table: rows in sight between two empty ones that are as high as the rest. */
function windowed(scroller, body, columns, rowElement, signal) {
  let rows = [];
  let first = -1;
  let last = -1;
  const spacer = (count) => {
    const element = h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: columns.length }));
    element.firstChild.style.height = `${count * ROW_PX}px`;
    return element;
  };
  function draw(from, to) {
    first = from;
    last = to;
    body.replaceChildren(
      ...(from > 0 ? [spacer(from)] : []),
      ...rows.slice(from, to).map((row, i) => rowElement(row, from + i)),
      ...(to < rows.length ? [spacer(rows.length - to)] : []),
    );
  }
  function look() {
    const from = Math.max(0, Math.floor(scroller.scrollTop / ROW_PX) - MARGIN);
    const to = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW_PX) + MARGIN);
    const isCovered = first >= 0 && from + MARGIN / 2 >= first && to - MARGIN / 2 <= last;
    if (!isCovered || (from === 0 && first > 0) || (to === rows.length && last < to)) draw(from, to);
  }
  scroller.addEventListener("scroll", look, { passive: true, signal });
  new ResizeObserver(() => !signal.aborted && look()).observe(scroller);
  addEventListener("beforeprint", () => draw(0, rows.length), { signal });
  addEventListener("afterprint", () => draw(0, Math.min(rows.length, 2 * MARGIN)), { signal });
  return (newRows) => {
    rows = newRows;
    first = -1;
    scroller.scrollTop = 0;
    look();
  };
}

export async function render(host, artifact, { signal, tools }) {
  await style(builtUrl(built["table.entry.css"]));
  signal.throwIfAborted();
  const data = readTable(artifact.content);
  if (data.failure) {
    host.append(h("p", { class: "remark", role: "alert" }, `This table could not be read: ${data.failure}`));
    return showRaw(host, artifact, { signal });
  }
  const { columns, rows } = data;
  const isLong = rows.length > WHOLE;
  let sort = { column: -1, order: "none" };

  const rowElement = (row, index) =>
    h("tr", isLong ? { "aria-rowindex": index + 2 } : null, row.map((cell, i) => h("td", { class: columns[i].type, title: isLong && cell.length > WIDEST ? cell : null, dir: "auto" }, cell)));
  const heads = columns.map(({ name, type }, i) =>
    h(
      "th",
      { scope: "col", class: type, "aria-sort": "none" },
      h("button", { type: "button", title: `Sort by ${name}`, onclick: () => sortBy(i) }, name),
    ),
  );
  const body = h("tbody");
  const table = h(
    "table",
    { class: isLong ? "long" : null, "aria-rowcount": isLong ? rows.length + 1 : null },
    isLong ? h("colgroup", null, columns.map(({ widest }) => h("col", { style: `width: ${Math.min(WIDEST, Math.max(NARROWEST, widest)) + 4}ch` }))) : null,
    h("thead", null, h("tr", null, heads)),
    body,
  );
  const scroller = h("div", { class: "grid", tabindex: "0", role: "region", "aria-label": "Table" }, table);
  const nothing = h("p", { class: "quiet", hidden: true });
  const shown = h("span", { class: "chip", role: "status" }, counted(rows.length, "row"));
  const filter = h("input", { type: "search", class: "field", placeholder: "Filter rows", "aria-label": "Filter rows", oninput: () => update() });
  tools.append(shown, h("span", { class: "chip" }, counted(columns.length, "column")), rows.length > 1 ? filter : "");
  host.append(scroller, nothing);
  const show = isLong
    ? windowed(scroller, body, columns, rowElement, signal)
    : (some) => body.replaceChildren(...some.map(rowElement));

  function update() {
    const found = filterRows(rows, filter.value);
    const { column, order } = sort;
    show(order === "none" ? found : sortRows(found, column, columns[column].type, order === "ascending" ? 1 : -1));
    shown.textContent = found.length === rows.length ? counted(rows.length, "row") : `${number(found.length)} of ${counted(rows.length, "row")}`;
    nothing.hidden = found.length > 0;
    nothing.textContent = rows.length === 0 ? "This table has no rows." : "No row holds that.";
  }
  function sortBy(column) {
    const order = NEXT[sort.column === column ? sort.order : "none"];
    sort = { column, order };
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === column ? order : "none"));
    update();
  }
  update();
}
