/* toolbar.test.mjs - what can be done with an artifact, and switching in a bundle. */
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { ARTIFACTS, bodyOf, bundle, KINDS } from "./artifacts.mjs";
import { envelopeOf, fragmentLink, shortLink, startBrowser, told, visit } from "./browser.mjs";

const { server, open } = await startBrowser();
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
const NAMES = { markdown: ".md", code: ".txt", diff: ".patch", csv: ".csv", json: ".json" };
const pair = { kind: "diff", oldContent: "a\nb\n", newContent: "a\nc\n" };

test("copy gives the body, says so, and says it for two seconds", async (t) => {
  const page = await open(t);
  for (const artifact of [...KINDS.map((kind) => ARTIFACTS[kind]), pair]) {
    await page.goto("about:blank");
    await visit(page, await shortLink(server, envelopeOf(artifact)));
    await press(page, "Copy");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await clipboard(page), bodyOf(artifact));
    await page.getByRole("button", { name: "Copy", exact: true }).waitFor();
  }
});

test("copying without the clipboard's permission, and where neither way works", async (t) => {
  const page = await open(t);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("no")) } });
    document.execCommand = (command) => command === "copy" && !window.refuse && ((window.selected = document.activeElement.value), true);
  });
  await visit(page, await shortLink(server, envelopeOf(ARTIFACTS.code)));
  await press(page, "Copy");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => window.selected), ARTIFACTS.code.content);
  await page.evaluate(() => (window.refuse = true));
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Copy failed" }).waitFor();
});

test("a Markdown link: label and address escaped, long ones with a warning", async (t) => {
  const page = await open(t);
  const link = await shortLink(server, envelopeOf({ ...ARTIFACTS.csv, title: "a [b] \\ c" }));
  await visit(page, link);
  await press(page, "Markdown link");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await clipboard(page), `[a \\[b\\] \\\\ c](${server.origin}${link})`);
  assert.equal((await page.locator(".warning").innerText()).trim(), "");
  const content = Array.from({ length: 900 }, (_, i) => (i * 7919) % 99991).join(" ");
  await visit(page, await fragmentLink(server, envelopeOf({ kind: "markdown", title: "Long", content }), { codec: "plain" }));
  await press(page, "Markdown link");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await clipboard(page), `[Long](${page.url()})`);
  assert.match(await page.getByRole("status").filter({ hasText: "Discord" }).innerText(), /2,000/);
});

test("a download has the body under the file's name, else the id with an ending", async (t) => {
  const page = await open(t);
  for (const kind of KINDS)
    for (const filename of [ARTIFACTS[kind].filename, undefined]) {
      await page.goto("about:blank");
      await visit(page, await shortLink(server, envelopeOf({ ...ARTIFACTS[kind], filename })));
      const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Download")]);
      assert.equal(download.suggestedFilename(), filename ?? `artifact-1${NAMES[kind]}`);
      assert.equal(fs.readFileSync(await download.path(), "utf8"), bodyOf(ARTIFACTS[kind]));
    }
});

test("print: the artifact alone, on paper's colours, whatever the theme", async (t) => {
  const page = await open(t, { theme: "dark" });
  await page.addInitScript(() => (window.print = () => (window.printed = (window.printed ?? 0) + 1)));
  for (const kind of KINDS) {
    await page.goto("about:blank");
    await visit(page, await shortLink(server, envelopeOf(ARTIFACTS[kind])));
    await press(page, "Print");
    assert.equal(await page.evaluate(() => window.printed), 1, kind);
    await page.emulateMedia({ media: "print" });
    const seen = await page.evaluate(() => ({
      background: getComputedStyle(document.body).backgroundColor,
      html: getComputedStyle(document.documentElement).backgroundColor,
      ink: getComputedStyle(document.querySelector(".artifact")).color,
      bar: document.querySelector("header.bar").getClientRects().length,
      head: document.querySelector(".print-head")?.getClientRects().length ?? 0,
    }));
    const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 3;
    assert.ok(light(seen.ink) < 90, `${kind}: dark ink ${seen.ink}`);
    assert.ok([seen.background, seen.html].every((colour) => colour === "rgba(0, 0, 0, 0)" || light(colour) > 200), `${kind}: ${seen.background}`);
    assert.equal(seen.bar, 0, `${kind}: no bar`);
    assert.ok(seen.head > 0, `${kind}: a heading for paper`);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains("printing")), false);
    assert.equal(await page.locator(".print-head").first().isVisible(), false, "only on paper");
  }
});

test("rendered and raw, of every kind; colours for the raw one on demand; back to rendered on a switch", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, bundle()));
  await press(page, "Raw");
  await page.waitForSelector("pre.raw");
  assert.equal((await page.locator("pre.raw").innerText()).trim(), ARTIFACTS.markdown.content.trim());
  await page.getByRole("button", { name: /^Open artifact Requests by region/ }).click();
  await page.waitForSelector("html[data-kind=csv][data-renderer-ready=true]", { state: "attached" });
  assert.equal(await page.locator("main table").count(), 1);
  await press(page, "Raw");
  await page.waitForSelector("pre.raw");
  await page.getByRole("button", { name: /^Open artifact Merging/ }).click();
  for (const [kind, title] of [["code", "Merging"], ["diff", "Rate limit"], ["json", "Status"], ["markdown", "Quarterly"]]) {
    await page.getByRole("button", { name: new RegExp(`^Open artifact ${title}`) }).click();
    await page.waitForSelector(`html[data-kind=${kind}][data-renderer-ready=true]`, { state: "attached" });
    assert.equal(await page.getByRole("button", { name: "Rendered", exact: true }).getAttribute("aria-pressed"), "true");
    await press(page, "Raw");
    await page.waitForSelector("pre.raw");
    await page.waitForSelector("html[data-renderer-ready=true]", { state: "attached" });
    assert.equal(await page.locator("pre.raw").textContent(), bodyOf(ARTIFACTS[kind]));
    assert.equal(await page.locator("pre.raw .block > span").count(), 0, "one ink");
    await press(page, "Highlight");
    await page.waitForFunction(() => document.querySelectorAll("pre.raw .block > span[class^=ink-]").length > 3);
    assert.equal(await page.locator("pre.raw").textContent(), bodyOf(ARTIFACTS[kind]));
  }
});

test("phones: Rendered and Raw are broad, side by side at 390 px, stacked at 340", async (t) => {
  const page = await open(t, { width: 390, height: 844 });
  await visit(page, await shortLink(server, envelopeOf(ARTIFACTS.markdown)));
  const boxes = () => Promise.all(["Rendered", "Raw"].map((name) => page.getByRole("button", { name, exact: true }).boundingBox()));
  let [rendered, raw] = await boxes();
  assert.ok(rendered.width >= 48 && raw.width >= 48, `${rendered.width} and ${raw.width} px`);
  assert.ok(raw.x >= rendered.x + rendered.width && Math.abs(raw.y - rendered.y) < 4, "side by side");
  const rows = await page.evaluate(() => new Set([...document.querySelectorAll(".actions .action")].map((one) => Math.round(one.getBoundingClientRect().top))).size);
  assert.ok(rows > 1, "the bar wraps");
  await page.setViewportSize({ width: 340, height: 800 });
  [rendered, raw] = await boxes();
  assert.ok(rendered.width >= 48 && raw.y >= rendered.y + rendered.height - 1 && raw.x === rendered.x, "stacked");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 340));
});

test("a click whose answer comes after a switch says nothing", async (t) => {
  const page = await open(t);
  await page.addInitScript(() => {
    const clipboard = { writeText: () => new Promise((resolve) => (window.answer = resolve)) };
    Object.defineProperty(navigator, "clipboard", { value: clipboard });
  });
  await visit(page, await shortLink(server, bundle()));
  const stale = await page.getByRole("button", { name: "Copy", exact: true }).elementHandle();
  await stale.click();
  await page.waitForFunction(() => window.answer);
  await page.getByRole("button", { name: /^Open artifact Requests/ }).click();
  await page.waitForSelector("html[data-kind=csv][data-renderer-ready=true]", { state: "attached" });
  await page.evaluate(async () => (window.answer(), await new Promise((resolve) => setTimeout(resolve))));
  assert.equal(await stale.evaluate((button) => button.textContent), "Copy");
  assert.equal(await page.getByRole("button", { name: "Copied" }).count(), 0);
});

test("paper: addresses behind links, rows and fences in one piece, long code over pages", async (t) => {
  const page = await open(t);
  await visit(page, await shortLink(server, envelopeOf(ARTIFACTS.markdown)));
  await page.emulateMedia({ media: "print" });
  const paper = await page.evaluate(() => {
    const of = (selector, pseudo) => getComputedStyle(document.querySelector(selector), pseudo);
    return {
      link: of(".prose a[href^=http]", "::after").content,
      row: of(".prose tr").breakInside,
      fence: of(".fence").breakInside,
      heading: of(".prose h2").breakAfter,
    };
  });
  assert.match(paper.link, /https:\/\/example\.org\/plan/);
  assert.deepEqual([paper.row, paper.fence, paper.heading], ["avoid", "avoid", "avoid"]);
  await page.emulateMedia({ media: "screen" });
  await visit(page, await shortLink(server, envelopeOf(ARTIFACTS.code)));
  await page.emulateMedia({ media: "print" });
  assert.deepEqual(
    await page.evaluate(() => ["pre.code", ".line", ".line .text"].map((selector) => [getComputedStyle(document.querySelector(selector)).breakInside, getComputedStyle(document.querySelector(selector)).whiteSpace])),
    [["auto", "pre-wrap"], ["avoid", "pre-wrap"], ["auto", "pre-wrap"]],
  );
  assert.ok((await page.pdf()).length > 1000, "and it prints");
});

test("details: what is known of the link", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, envelopeOf({ ...ARTIFACTS.code, filename: undefined }), { codec: "arx5" }));
  assert.match(await page.locator("summary").first().innerText(), /Decoded[^]*artifact-1[^]*[\d,]+ characters/);
  await page.locator("summary", { hasText: "Details" }).click();
  const facts = await page.locator("dl.facts").innerText();
  for (const pattern of [/Kind\s+Code/, /Artifact\s+artifact-1/, /File\s+Not provided/, /Language\s+python/, /Budget\s+[\d,]+ \/ 8,192/, /Codec\s+arx5/, /Transport\s+Fragment/, /Asset set\s+[0-9a-f]{16}/]) assert.match(facts, pattern);
  const hash = (await page.locator(".hash").innerText()).trim();
  assert.ok(hash.startsWith("#f") && hash.length <= 160 + 3 + 44, hash);
});

test("a bundle: names, which one is pressed, and the fragment follows without history", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, bundle()));
  const buttons = page.getByRole("button", { name: /^Open artifact / });
  assert.equal(await buttons.count(), 5);
  const length = await page.evaluate(() => history.length);
  const first = page.url();
  for (const kind of ["csv", "json", "diff"]) await page.getByRole("button", { name: new RegExp(`^Open artifact ${ARTIFACTS[kind].title.slice(0, 8)}`) }).click();
  await page.waitForSelector("html[data-artifact-id=diff][data-renderer-ready=true]", { state: "attached" });
  assert.equal(await page.getByRole("button", { name: /^Open artifact /, pressed: true }).count(), 1);
  await page.waitForFunction((url) => location.href !== url, first);
  await page.waitForTimeout(500);
  assert.equal(await page.evaluate(() => history.length), length);
  const { body } = await server.post("/decode", { fragment: new URL(page.url()).hash });
  assert.equal(body.envelope.activeArtifactId, "diff", "the last click won");
  await page.reload();
  await page.waitForSelector("html[data-artifact-id=diff][data-renderer-ready=true]", { state: "attached" });
  assert.equal(await page.title(), `${ARTIFACTS.diff.title} \u2013 arxd`);
});

test("a bundle behind a short link: the choice is local", async (t) => {
  const page = await open(t);
  const link = await shortLink(server, bundle());
  await visit(page, link);
  await page.getByRole("button", { name: /^Open artifact Status/ }).click();
  await page.waitForSelector("html[data-artifact-id=json][data-renderer-ready=true]", { state: "attached" });
  await page.waitForTimeout(500);
  assert.equal(page.url(), `${server.origin}${link}`);
});

test("one artifact: no list", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, envelopeOf(ARTIFACTS.json)));
  assert.equal(await page.getByRole("button", { name: /^Open artifact / }).count(), 0);
});

test("theme: before the first paint, kept, and followed in other tabs", async (t) => {
  const page = await open(t, { theme: "dark" });
  await visit(page, "/", "empty");
  assert.equal((await told(page)).theme, "dark");
  await page.getByRole("button", { name: "Switch to light theme" }).click();
  assert.equal((await told(page)).theme, "light");
  assert.equal(await page.evaluate(() => localStorage.getItem("theme")), "light");
  const other = await page.context().newPage();
  await visit(other, "/", "empty");
  assert.equal((await told(other)).theme, "light");
  await other.getByRole("button", { name: "Switch to dark theme" }).click();
  await page.waitForSelector("html[data-theme=dark]", { state: "attached" });
  assert.ok(await page.evaluate(() => document.documentElement.classList.contains("dark")));
  await page.emulateMedia({ colorScheme: "light" });
  await other.emulateMedia({ colorScheme: "light" });
});
