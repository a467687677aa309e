/*
 * patch.mjs - a diff as rows to show: jsdiff reads the patch, or makes one of two texts.
 *
 *   readDiff({ patch } or { oldContent, newContent, filename }, and ignoreSpace)
 *     -> { preamble, files } or { failure: { reason, detail } }
 *
 *   file  { path, oldPath, newPath, status, added, removed, isBinary, hunks }
 *         status: added, deleted, renamed, copied, modified; path is the one to call it by
 *   hunk  { header, rows }
 *   row   { type, old, new, text, marks }
 *         type: " " both sides, "-" old, "+" new, "\" a remark; old and new: line numbers, 0 on the
 *         side that has none; marks: [from, to, ...] of the words that changed, in units
 */
import { diffArrays, diffWordsWithSpace, parsePatch, structuredPatch } from "diff";

const FIRST_LINE = /^(?:diff --git |diff -r |Index: |--- |@@ )/m;
const HUNK_LINE = /^@@\s.*$/gm;
const HUNK_FORM = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
const BINARY = /^(?:Binary files |GIT binary patch)/m;

/** Lines longer than this are compared as a whole: finding words in them takes longer than reading. */
const WORDS_LIMIT = 1000;
/** How long two texts are compared before what is known is shown. */
const COMPARE_MS = 5000;

class Unreadable extends Error {
  constructor(reason, detail) {
    super(reason);
    this.detail = detail;
  }
}

/** Without the prefixes of git; null for the side that is not there. */
function pathOf(name, isGit) {
  if (name === undefined || name === "/dev/null") return null;
  const path = name.replace(/\r$/, "");
  return isGit || /^[ab]\//.test(path) ? path.replace(/^[ab]\//, "") : path;
}

function statusOf(entry, oldPath, newPath) {
  if (entry.isCreate || (oldPath === null && newPath !== null)) return "added";
  if (entry.isDelete || (newPath === null && oldPath !== null)) return "deleted";
  if (entry.isCopy) return "copied";
  if (entry.isRename || (oldPath !== null && newPath !== null && oldPath !== newPath)) return "renamed";
  return "modified";
}

const bare = (text) => text.replace(/\s+/g, "");

/** Removed and added lines that differ in spaces only become lines of both sides. */
function withoutSpaceChanges(removed, added) {
  const parts = diffArrays(removed.map((row) => bare(row.text)), added.map((row) => bare(row.text)));
  const rows = [];
  let o = 0;
  let n = 0;
  for (const { added: isAdded, removed: isRemoved, count } of parts)
    for (let i = 0; i < count; i++)
      if (isRemoved) rows.push(removed[o++]);
      else if (isAdded) rows.push(added[n++]);
      else rows.push({ type: " ", old: removed[o++].old, new: added[n].new, text: added[n++].text, marks: [] });
  return rows;
}

/** Marks the words that changed between two lines, unless hardly anything stayed. */
function markWords(removed, added) {
  if (removed.text.length > WORDS_LIMIT || added.text.length > WORDS_LIMIT) return;
  const parts = diffWordsWithSpace(removed.text, added.text);
  const kept = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length), 0);
  if (kept * 3 < Math.max(removed.text.trim().length, added.text.trim().length)) return;
  let o = 0;
  let n = 0;
  for (const { added: isAdded, removed: isRemoved, value } of parts) {
    if (isRemoved) removed.marks.push(o, o + value.length);
    if (isAdded) added.marks.push(n, n + value.length);
    if (!isAdded) o += value.length;
    if (!isRemoved) n += value.length;
  }
}

function rowsOf(hunk, ignoreSpace) {
  const rows = [];
  let removed = [];
  let added = [];
  const flush = () => {
    if (removed.length > 0 && added.length > 0) {
      const settled = ignoreSpace ? withoutSpaceChanges(removed, added) : [...removed, ...added];
      const left = settled.filter((row) => row.type === "-");
      const right = settled.filter((row) => row.type === "+");
      for (let i = 0; i < Math.min(left.length, right.length); i++) markWords(left[i], right[i]);
      rows.push(...settled);
    } else rows.push(...removed, ...added);
    removed = [];
    added = [];
  };
  let o = hunk.oldStart;
  let n = hunk.newStart;
  for (const line of hunk.lines) {
    const type = line[0] ?? " ";
    const text = line.slice(1).replace(/\r$/, "");
    const row = { type, old: 0, new: 0, text, marks: [] };
    if (type === "-") {
      if (added.length > 0) flush();
      row.old = o++;
      removed.push(row);
    } else if (type === "+") {
      row.new = n++;
      added.push(row);
    } else if (type === "\\") {
      (added.length > 0 ? added : removed.length > 0 ? removed : rows).at(-1).isUnended = true;
    } else {
      flush();
      row.old = o++;
      row.new = n++;
      rows.push(row);
    }
  }
  flush();
  return rows;
}

function fileOf(entry, index, headers, ignoreSpace, isBinary) {
  const oldPath = pathOf(entry.oldFileName, entry.isGit);
  const newPath = pathOf(entry.newFileName, entry.isGit);
  const hunks = entry.hunks.map((hunk) => ({ header: headers.shift() ?? "", rows: rowsOf(hunk, ignoreSpace) }));
  const count = (type) => entry.hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line[0] === type).length, 0);
  return {
    path: newPath || oldPath || entry.index || `file-${index + 1}`,
    oldPath,
    newPath,
    status: statusOf(entry, oldPath, newPath),
    added: count("+"),
    removed: count("-"),
    isBinary,
    hunks,
  };
}

/** Whether the n-th entry's part of the patch holds binary data, of which jsdiff knows one form. */
function binaryParts(text) {
  const starts = [...text.matchAll(/^diff --git /gm)].map((match) => match.index);
  return starts.map((start, i) => BINARY.test(text.slice(start, starts[i + 1])));
}

function readPatch(patch, ignoreSpace) {
  const first = FIRST_LINE.exec(patch);
  if (!first) throw new Unreadable("This is no unified diff.", "There is neither a file header (---, +++) nor a hunk (@@).");
  const preamble = patch.slice(0, first.index).trim();
  const text = patch.slice(first.index);
  const headers = [...text.matchAll(HUNK_LINE)].map(([line]) => line.replace(/\r$/, ""));
  const malformed = headers.find((line) => !HUNK_FORM.test(line));
  if (malformed) throw new Unreadable("A hunk of this diff has a malformed header.", malformed);
  let entries;
  try {
    entries = parsePatch(text);
  } catch (error) {
    throw new Unreadable("This diff could not be read.", error.message);
  }
  const binaries = binaryParts(text);
  let git = 0;
  const files = entries
    .map((entry) => ({ entry, isBinary: Boolean(entry.isBinary || (entry.isGit && binaries[git++])) }))
    .filter(({ entry }) => entry.hunks.length > 0 || entry.isGit || entry.oldFileName !== undefined)
    .map(({ entry, isBinary }, i) => fileOf(entry, i, headers, ignoreSpace, isBinary));
  if (files.length === 0) throw new Unreadable("This is no unified diff.", "It names no file and holds no hunk.");
  return { preamble, files };
}

function comparePair({ oldContent, newContent, filename }, ignoreSpace) {
  const name = filename ?? "file-1";
  const made = structuredPatch(name, name, oldContent, newContent, "", "", { context: 3, timeout: COMPARE_MS });
  if (!made) throw new Unreadable("These two texts differ too much to be compared line by line.", "Both are shown whole.");
  const headers = made.hunks.map((hunk) => `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
  return { preamble: "", files: [{ ...fileOf(made, 0, headers, ignoreSpace, false), status: "modified" }] };
}

export function readDiff(request) {
  const { patch, ignoreSpace = false } = request;
  try {
    return typeof patch === "string" && patch !== "" ? readPatch(patch, ignoreSpace) : comparePair(request, ignoreSpace);
  } catch (error) {
    const isOurs = error instanceof Unreadable;
    return { failure: { reason: isOurs ? error.message : "This diff could not be laid out.", detail: isOurs ? error.detail : String(error?.message ?? error) } };
  }
}
