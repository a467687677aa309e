/*
 * table-data.mjs - comma-separated values as columns and rows: Papa Parse reads them, here they are
 * squared, typed, sorted and filtered. No DOM in here.
 */
import Papa from "papaparse";

const NUMBER = /^[-+\u2212]?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?(?:e[-+]?\d+)?\s?%?$/i;
const DATE = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[-+]\d{2}:?\d{2})?)?)?$/;
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const isNumber = (text) => NUMBER.test(text) && /\d/.test(text);
export const numberOf = (text) => Number(text.replace(/[,\s%]/g, "").replace("\u2212", "-"));

/** "number", "date" or "text": what every cell that is not empty looks like. */
function typeOf(rows, column) {
  let type = null;
  for (const row of rows) {
    const cell = row[column].trim();
    if (cell === "") continue;
    const looks = isNumber(cell) ? "number" : DATE.test(cell) ? "date" : "text";
    if (looks === "text" || (type !== null && type !== looks)) return "text";
    type = looks;
  }
  return type ?? "text";
}

/** @returns { columns: [{ name, type, widest }], rows: string[][] } or { failure }; widest in characters */
export function readTable(text) {
  const { data, errors } = Papa.parse(text.replace(/^\ufeff/, ""), { skipEmptyLines: "greedy" });
  const fault = errors.find(({ type }) => type === "Quotes");
  if (fault) return { failure: `${fault.message}${fault.row === undefined ? "" : ` (row ${fault.row + 1})`}.` };
  const [header = [], ...rows] = data;
  const width = data.reduce((most, row) => Math.max(most, row.length), 0);
  for (const row of rows) while (row.length < width) row.push("");
  const columns = Array.from({ length: width }, (_, i) => {
    const name = header[i]?.trim() || `column_${i + 1}`;
    const widest = rows.reduce((most, row) => Math.max(most, row[i].length), name.length);
    return { name, type: typeOf(rows, i), widest };
  });
  return { columns, rows };
}

/** Rows in a new order; empty cells come last, whatever the direction. @param {1 | -1} direction */
export function sortRows(rows, column, type, direction) {
  const compare = type === "number" ? (a, b) => numberOf(a) - numberOf(b) : collator.compare;
  const isEmpty = (row) => row[column].trim() === "";
  return [...rows].sort((a, b) => {
    if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b));
    return direction * compare(a[column], b[column]);
  });
}

/** Rows in which some cell holds the text, in any case. */
export function filterRows(rows, text) {
  const wanted = text.trim().toLocaleLowerCase();
  return wanted === "" ? rows : rows.filter((row) => row.some((cell) => cell.toLocaleLowerCase().includes(wanted)));
}
