/*
 * renderers.test.mjs - the five kinds in their own ways.
 *
 * How patches, tables and JSON are read is tests/page/renderers.test.mjs's; here is what a person sees
 * and can press. That a style sheet comes as Brotli first is arxd's to choose: tests/http/files.test.mjs.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS } from "./artifacts.mjs";
import { envelopeOf, shortLink, startBrowser, visit } from "./browser.mjs";

const { server, open } = await startBrowser();
const show = async (page, artifact) => visit(page, await shortLink(server, envelopeOf(artifact)));
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
const requests = (page) => {
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return asked;
};

/* ---- Markdown ---- */

test("Markdown: GFM, fences with their language, diagrams", async (t) => {
  const page = await open(t);
  await show(page, {
    kind: "markdown",
    content: `${ARTIFACTS.markdown.content}\n~~~\nplain\n~~~\n\n\`\`\`c++\nint x;\n\`\`\`\n\n\`\`\`objective-c\n@interface X\n\`\`\`\n\n<b>raw</b> html\n`,
  });
  assert.deepEqual(await page.locator("article .chip").allInnerTexts(), ["ts", "text", "c++", "objective-c"]);
  assert.equal(await page.locator("article del").innerText(), "nobody");
  assert.equal(await page.locator("article b").count(), 0, "raw HTML is left out");
  assert.equal(await page.locator("article figure svg").count(), 1);
  assert.ok((await page.locator("article .fence code span").count()) > 5, "colours");
  assert.equal(await page.locator("article .table table").count(), 1, "tables scroll in a wrapper");
});

test("diagrams follow the theme, and one that fails says why and shows its text", async (t) => {
  const page = await open(t);
  await show(page, { kind: "markdown", content: "```mermaid\nflowchart LR\n A --> B\n```\n\n```mermaid\nnothing of the kind\n```\n" });
  const drawn = () => page.evaluate(() => [...document.querySelectorAll("figure div")].map((host) => host.shadowRoot?.innerHTML ?? "").join(""));
  assert.match(await page.getByRole("alert").innerText(), /^Diagram render failed: ./);
  assert.ok(await page.getByText("nothing of the kind").first().isVisible());
  const light = await drawn();
  assert.match(light, /<svg/);
  await page.getByRole("button", { name: "Switch to dark theme" }).click();
  await page.waitForFunction((before) => [...document.querySelectorAll("figure div")].map((host) => host.shadowRoot?.innerHTML ?? "").join("") !== before, light);
});

test("raw Markdown loads no highlighter", async (t) => {
  const page = await open(t);
  const asked = requests(page);
  await show(page, { kind: "markdown", content: "# plain" });
  await press(page, "Raw");
  await page.waitForSelector("pre.raw");
  assert.ok(!asked.some((path) => /highlight|mermaid|diagram/.test(path)), asked.join("\n"));
});

/* ---- code ---- */

test("code: numbers, language by hint, then by name; unknown ones too", async (t) => {
  const page = await open(t);
  for (const [artifact, chip] of [
    [ARTIFACTS.code, "python"],
    [{ kind: "code", filename: "a.tsx", content: "const x = <b/>;" }, "tsx"],
    [{ kind: "code", filename: "a.yml", content: "a: 1" }, "yaml"],
    [{ kind: "code", language: "klingon", content: "qapla" }, "klingon"],
    [{ kind: "code", content: "x" }, "text"],
  ]) {
    await show(page, artifact);
    assert.equal(await page.locator(".tools .chip").first().innerText(), chip);
    assert.equal(await page.locator(".line").count(), artifact.content.replace(/\n$/, "").split("\n").length);
  }
  assert.equal(await page.locator("main [contenteditable], main textarea").count(), 0, "read-only");
});

test("code: wrapping follows the width until somebody chooses", async (t) => {
  const page = await open(t);
  await show(page, ARTIFACTS.code);
  const wrapped = () => page.getByRole("button", { name: "Wrap lines" }).getAttribute("aria-pressed");
  assert.equal(await wrapped(), "false");
  await page.setViewportSize({ width: 600, height: 800 });
  await page.waitForFunction(() => document.querySelector("pre.code").classList.contains("wrapped"));
  await press(page, "Wrap lines");
  await page.setViewportSize({ width: 1280, height: 800 });
  await press(page, "Wrap lines");
  assert.equal(await wrapped(), "true");
  await page.setViewportSize({ width: 1000, height: 800 });
  assert.equal(await wrapped(), "true", "chosen");
});

test("code: lines that are pointed at stay with the page, and out of the fragment", async (t) => {
  const page = await open(t);
  await show(page, ARTIFACTS.code);
  await page.locator(".no").nth(4).click();
  await page.locator(".no").nth(7).click({ modifiers: ["Shift"] });
  assert.equal(await page.locator(".line.marked").count(), 4);
  assert.equal(new URL(page.url()).hash, "");
  await page.reload();
  await page.waitForSelector("html[data-renderer-ready=true]", { state: "attached" });
  assert.equal(await page.locator(".line.marked").count(), 4);
});

/* ---- diff ---- */

test("diff: the view it asks for, the other by a word; below 800 px one column", async (t) => {
  const page = await open(t);
  await show(page, ARTIFACTS.diff);
  assert.equal(await page.locator(".diff.split").count(), 1);
  await press(page, "Unified");
  await page.waitForSelector(".diff.unified");
  await show(page, { ...ARTIFACTS.diff, view: undefined });
  assert.equal(await page.locator(".diff.unified").count(), 1);
  await page.setViewportSize({ width: 700, height: 800 });
  await show(page, ARTIFACTS.diff);
  assert.equal(await page.locator(".diff.unified").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Open split columns" }).getAttribute("aria-pressed"), "false");
  await press(page, "Open split columns");
  await page.waitForSelector(".diff.split");
  assert.equal(await page.getByRole("button", { name: "Back to unified" }).getAttribute("aria-pressed"), "true");
  await press(page, "Back to unified");
  await page.waitForSelector(".diff.unified");
});

test("diff: files with what became of them, binary ones too; a click scrolls and leaves the address", async (t) => {
  const page = await open(t, { height: 400 });
  await show(page, { ...ARTIFACTS.diff, patch: `A letter before it.\n\n${ARTIFACTS.diff.patch}` });
  const rows = await page.locator("nav.changes li").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.split(/\s/)[0]), ["modified", "added", "renamed", "deleted", "binary"]);
  assert.match(rows[2], /old\.txt \u2192 new\.txt/);
  assert.match(rows[0], /\+5\s+\u22122/);
  assert.ok(await page.getByText("A letter before it.").isVisible());
  assert.ok(await page.getByText(/^Binary file/).count());
  const before = page.url();
  await page.locator("nav.changes button").last().click();
  await page.waitForFunction(() => scrollY > 100);
  assert.equal(page.url(), before);
  assert.ok((await page.locator(".diff mark").count()) > 0, "words are marked");
  assert.equal(await page.locator(".no").first().evaluate((no) => getComputedStyle(no).userSelect), "none");
});

test("diff: an old and a new text, CRLF, whitespace", async (t) => {
  const page = await open(t);
  await show(page, { kind: "diff", filename: "x.txt", oldContent: "a\r\nb\r\n", newContent: "a\r\n  b\r\nc\r\n" });
  assert.equal(await page.locator("section.file").count(), 1);
  assert.equal(await page.locator(".row.add").count(), 2);
  await press(page, "Hide whitespace");
  await page.waitForFunction(() => document.querySelectorAll(".row.add").length === 1);
});

test("diff: what is none is shown as it is, with the reason and a copy, and no style sheet of diffs", async (t) => {
  const page = await open(t);
  const asked = requests(page);
  for (const patch of ["no patch at all\n", "--- a\n+++ b\n@@ nonsense @@\n x\n"]) {
    await show(page, { kind: "diff", patch });
    assert.equal(await page.locator("pre.raw").innerText(), patch);
    await press(page, "Copy raw diff");
    await page.getByRole("button", { name: "Copied" }).first().waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), patch);
  }
  assert.ok(!asked.some((path) => /diff.*\.css/.test(path)));
});

/* ---- tables ---- */

test("tables: header names, ragged rows, quotes; counts, sorting and a filter", async (t) => {
  const page = await open(t);
  await show(page, { kind: "csv", content: 'name,,n\n"a, ""b""",x,10\n\nc,y,9,more\nd\n' });
  assert.deepEqual(await page.locator("thead th").allInnerTexts(), ["name", "column_2", "n", "column_4"]);
  const column = (i) => page.locator(`tbody td:nth-child(${i})`).allInnerTexts();
  assert.deepEqual(await column(1), ['a, "b"', "c", "d"]);
  assert.match(await page.locator(".tools").innerText(), /3 rows[^]*4 columns/);
  const heading = page.locator("thead th").nth(2);
  await heading.getByRole("button").click();
  assert.equal(await heading.getAttribute("aria-sort"), "ascending");
  assert.deepEqual((await column(3)).filter(Boolean), ["9", "10"], "as numbers");
  await page.getByLabel("Filter rows").fill("c");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  await show(page, ARTIFACTS.csv);
  assert.ok((await page.locator(".grid").boundingBox()).height < 900, "no giant frame for three rows");
});

test("tables: ten thousand rows, of which a few exist", async (t) => {
  const page = await open(t);
  await show(page, { kind: "csv", content: `n,v\n${Array.from({ length: 10_000 }, (_, i) => `${i},${(i * 7919) % 99991}`).join("\n")}` });
  assert.ok((await page.locator("tbody tr").count()) < 200);
  assert.match(await page.locator(".tools").innerText(), /10,000 rows/);
  await page.locator(".grid").evaluate((grid) => (grid.scrollTop = grid.scrollHeight));
  await page.waitForFunction(() => [...document.querySelectorAll("tbody td:first-child")].some((cell) => cell.textContent === "9999"));
});

test("tables: what cannot be read, and no rows", async (t) => {
  const page = await open(t);
  await show(page, { kind: "csv", content: "a,b\n" });
  assert.ok(await page.getByText("This table has no rows.").isVisible());
  await show(page, { kind: "csv", content: 'a,b\n"unended,1\n2,3\n' });
  assert.ok((await page.getByRole("alert").count()) === 1 && (await page.locator("pre.raw").count()) === 1, "the text, and why");
});

/* ---- JSON ---- */

test("JSON: a tree that says how much is in it; raw by a word", async (t) => {
  const page = await open(t);
  await show(page, ARTIFACTS.json);
  const tree = await page.locator("main").innerText();
  assert.match(tree, /Array\(3\)/);
  assert.match(tree, /Object\(3\)/);
  assert.equal(await page.locator("details.branch:not([open])").count(), 0, "all open");
  for (const [type, text] of [["number", "8192"], ["boolean", "true"], ["null", "null"], ["string", '"arxd"']])
    assert.ok((await page.locator(`.value.${type}`, { hasText: text }).count()) > 0, type);
  await press(page, "Level 1");
  assert.ok((await page.locator("details.branch:not([open])").count()) > 0);
  await press(page, "Raw");
  await page.waitForSelector("pre");
});

test("JSON: search goes from find to find and opens what hides it; the path is copied", async (t) => {
  const page = await open(t);
  await show(page, ARTIFACTS.json);
  await press(page, "Level 1");
  const box = page.getByLabel(/^Search keys and values/);
  await box.fill("nodes");
  await page.getByText("1 of 2", { exact: true }).waitFor();
  assert.ok(await page.locator(".selected").isVisible(), "opened");
  assert.equal(await page.locator("code.path").innerText(), "$.regions[0].nodes");
  await box.press("Enter");
  await page.getByText("2 of 2", { exact: true }).waitFor();
  await box.press("Shift+Enter");
  await box.press("Shift+Enter");
  await page.getByText("2 of 2", { exact: true }).waitFor();
  await press(page, "Copy path");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "$.regions[1].nodes");
  await box.fill("nowhere");
  await page.getByText("Nothing", { exact: true }).waitFor();
});

test("JSON: deeper than 200, and what is none", async (t) => {
  const page = await open(t);
  await show(page, { kind: "json", content: "[".repeat(300) + "1" + "]".repeat(300) });
  await press(page, "All");
  assert.equal(await page.getByText("max depth reached").count(), 1);
  await show(page, { kind: "json", content: '{"a": [1,' });
  assert.equal(await page.getByRole("alert").count(), 1);
  assert.equal((await page.locator("pre.raw").innerText()).trim(), '{"a": [1,');
});
