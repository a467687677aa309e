/* What the page's renderers know without a DOM: patches, tables, JSON, links in Markdown. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import esbuild from "esbuild";
import { settings } from "../../static/viewer/build.mjs";
import { ROOT } from "./serve.mjs";

/** A module of the page, with the packages it names bare. */
async function load(name) {
  const { outputFiles } = await esbuild.build({
    ...settings("build/wasm/core.wasm"),
    entryPoints: [path.join(ROOT, "static/viewer/page", name)],
    format: "esm",
    sourcemap: false,
    outdir: "out",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const { readDiff } = await load("render/patch.mjs");
const { readTable, sortRows, filterRows } = await load("render/table-data.mjs");
const { readJson, pathOf, search, labelOf } = await load("render/json-data.mjs");
const { markdownLink, lengthWarning } = await load("app/markdown-link.mjs");

const PATCH = `Subject: two things

diff --git a/old.c b/new.c
similarity index 90%
rename from old.c
rename to new.c
--- a/old.c
+++ b/new.c
@@ -1,3 +1,3 @@ int main(void)
 same
-int a = one;
+int a = two;
 same
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/x.png b/x.png
new file mode 100644
GIT binary patch
literal 3
abc
`;

test("a patch of several files", () => {
  const { preamble, files, failure } = readDiff({ patch: PATCH });
  assert.equal(failure, undefined);
  assert.equal(preamble, "Subject: two things");
  assert.deepEqual(
    files.map(({ path: name, status, added, removed, isBinary }) => [name, status, added, removed, isBinary]),
    [
      ["new.c", "renamed", 1, 1, false],
      ["gone.txt", "deleted", 0, 1, false],
      ["x.png", "added", 0, 0, true],
    ],
  );
  const [{ header, rows }] = files[0].hunks;
  assert.equal(header, "@@ -1,3 +1,3 @@ int main(void)");
  assert.deepEqual(rows.map((row) => [row.type, row.old, row.new]), [[" ", 1, 1], ["-", 2, 0], ["+", 0, 2], [" ", 3, 3]]);
  assert.deepEqual([rows[1].marks, rows[2].marks], [[8, 11], [8, 11]]);
});

test("lines end in CR LF, the last one in nothing", () => {
  const { files } = readDiff({ patch: "--- a\r\n+++ b\r\n@@ -1 +1 @@\r\n-x\r\n\\ No newline at end of file\r\n+y\r\n" });
  const { rows } = files[0].hunks[0];
  assert.deepEqual(rows.map(({ text, isUnended }) => [text, isUnended]), [["x", true], ["y", undefined]]);
});

test("changes of whitespace are left out on demand", () => {
  const patch = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a  b\n-c\n+a b\n+d\n";
  const types = (ignoreSpace) => readDiff({ patch, ignoreSpace }).files[0].hunks[0].rows.map(({ type }) => type).join("");
  assert.equal(types(false), "--++");
  assert.equal(types(true), " -+");
});

test("what is no unified diff says why", () => {
  assert.match(readDiff({ patch: "hello" }).failure.reason, /no unified diff/);
  assert.equal(readDiff({ patch: "--- a\n+++ b\n@@ nonsense @@\n x\n" }).failure.detail, "@@ nonsense @@");
  assert.match(readDiff({ patch: "--- a\n+++ b\n@@ -1,3 +1 @@\n-a\n" }).failure.detail, /line/);
});

test("an old and a new text", () => {
  const { files } = readDiff({ oldContent: "one\ntwo\n", newContent: "one\nthree\n", filename: "n.txt" });
  assert.deepEqual([files[0].path, files[0].status, files[0].added, files[0].removed], ["n.txt", "modified", 1, 1]);
  assert.equal(readDiff({ oldContent: "same", newContent: "same" }).files[0].hunks.length, 0);
});

test("a table is squared and typed", () => {
  const { columns, rows } = readTable('\ufeffname,n,day\n"a, b",1,2026-01-02\n\nc,"1,200"\nd,-3.5%,2026-02-01,more\n');
  assert.deepEqual(columns.map(({ name, type }) => [name, type]), [["name", "text"], ["n", "number"], ["day", "date"], ["column_4", "text"]]);
  assert.deepEqual(rows[1], ["c", "1,200", "", ""]);
  assert.deepEqual(readTable("only,a header\n").rows, []);
  assert.match(readTable('a,b\n"open,1\n').failure, /quote/i);
});

test("rows are sorted by what they mean, empty ones last", () => {
  const rows = [["10"], ["9"], [""], ["1,000"]];
  assert.deepEqual(sortRows(rows, 0, "number", 1).flat(), ["9", "10", "1,000", ""]);
  assert.deepEqual(sortRows(rows, 0, "number", -1).flat(), ["1,000", "10", "9", ""]);
  assert.deepEqual(filterRows([["Abc", "x"], ["d", "y"]], " aB ").flat(), ["Abc", "x"]);
});

test("a JSON tree keeps what was written", () => {
  const text = '{"b": 12345678901234567890, "10": 1.0, "a key": [true, null, "x\\u0041"], "b": 2}';
  const root = readJson(text);
  assert.equal(labelOf(root), "Object(4)");
  assert.deepEqual(root.children.map(({ key, text: shown }) => [key, shown]), [["b", "12345678901234567890"], ["10", "1.0"], ["a key", undefined], ["b", "2"]]);
  assert.equal(pathOf(root.children[2].children[2]), '$["a key"][2]');
  assert.equal(root.children[2].children[2].text, '"xA"');
  assert.deepEqual(search(root, "A").map(pathOf), ['$["a key"]', '$["a key"][2]']);
  assert.throws(() => readJson("{a: 1}"), SyntaxError);
});

test("a link in Markdown's notation", () => {
  assert.equal(markdownLink("a [b] \\ c", "https://h/#x"), "[a \\[b\\] \\\\ c](https://h/#x)");
  assert.equal(markdownLink("t", "https://h/#a(b)<"), "[t](<https://h/#a(b)%3C>)");
  assert.equal(lengthWarning("x".repeat(2000)), null);
  assert.match(lengthWarning("x".repeat(2001)), /2,001 characters/);
});
