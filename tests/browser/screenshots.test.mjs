/*
 * screenshots.test.mjs - every kind and state at 1280 and 390 px, light and dark, into build/screenshots.
 *
 * They are there to be looked at. What can be checked of them is: nothing is wider than the page, and
 * it has been painted.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT } from "../http/harness.mjs";
import { ARTIFACTS, bundle, KINDS } from "./artifacts.mjs";
import { envelopeOf, fragmentLink, shortLink, startBrowser, visit } from "./browser.mjs";

const FOLDER = path.join(ROOT, "build/screenshots");
const { server, open } = await startBrowser();

const rows = (count) => `n,Name,Value\n${Array.from({ length: count }, (_, i) => `${i},r${i},${(i * 7919) % 99991}`).join("\n")}\n`;
const long = Array.from({ length: 1200 }, (_, i) => `## Part ${i + 1}\n\nThe ${i + 1}th part says what the others say, in ${i % 7} other words, and ends.\n`).join("\n");
const short = (artifact) => async () => [await shortLink(server, envelopeOf(artifact)), "artifact"];

const STATES = {
  home: async () => ["/", "empty"],
  security: async () => ["/security", null],
  "url-explainer": async () => ["/url-explainer", null],
  error: async () => ["/#zz", "error"],
  missing: async () => ["/3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab", null],
  counted: async () => [`/${(await server.create({ envelope: envelopeOf(ARTIFACTS.csv), max_views: 2 })).id}`, null],
  bundle: async () => [await fragmentLink(server, bundle()), "artifact"],
  ...Object.fromEntries(KINDS.map((kind) => [kind, async () => [await fragmentLink(server, envelopeOf(ARTIFACTS[kind])), "artifact"]])),
  "diff-unified": short({ ...ARTIFACTS.diff, view: "unified" }),
  "diff-one-line": short({ kind: "diff", title: "One line", oldContent: "a\n", newContent: "b\n" }),
  "csv-no-rows": short({ kind: "csv", title: "No rows", content: "a,b\n" }),
  "csv-10000-rows": short({ kind: "csv", title: "Ten thousand rows", content: rows(10_000) }),
  "markdown-long": short({ kind: "markdown", title: "Long", content: long.slice(0, 190_000) }),
  "markdown-right-to-left": short({ kind: "markdown", title: "\u05e9\u05dc\u05d5\u05dd", content: "# \u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd\n\n\u05d6\u05d4\u05d5 \u05de\u05e1\u05de\u05da \u05d1\u05e2\u05d1\u05e8\u05d9\u05ea, \u05e2\u05dd `code` \u05d1\u05ea\u05d5\u05db\u05d5.\n\n- \u05d0\u05d7\u05d3\n- \u05e9\u05e0\u05d9\u05d9\u05dd\n" }),
  "markdown-long-title": short({ kind: "markdown", title: "A title that goes on ".repeat(15), content: "Short text." }),
  "markdown-diagram-failed": short({ kind: "markdown", title: "No diagram", content: "```mermaid\nno diagram at all\n```\n" }),
  "json-broken": short({ kind: "json", title: "Broken", content: '{"a": [1, 2,' }),
  "diff-broken": short({ kind: "diff", title: "No patch", patch: "this is not a patch\n" }),
};

fs.mkdirSync(FOLDER, { recursive: true });
for (const width of [1280, 390])
  for (const theme of ["light", "dark"])
    test(`${width} px, ${theme}`, { timeout: 400_000 }, async (t) => {
      const page = await open(t, { width, height: width === 390 ? 844 : 800, theme, allow: [/status of 404/] });
      for (const [name, make] of Object.entries(STATES)) {
        const [link, state] = await make();
        await page.goto("about:blank");
        if (state) await visit(page, link, state);
        else await page.goto(link);
        const { scrollWidth, textLength } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth, textLength: document.body.innerText.trim().length }));
        assert.ok(scrollWidth <= width, `${name}: ${scrollWidth} px wide`);
        assert.ok(textLength > 10, `${name} says something`);
        const file = path.join(FOLDER, `${name}-${width}-${theme}.png`);
        await page.screenshot({ path: file });
        assert.ok(fs.statSync(file).size > 3000, name);
      }
      const take = (name) => page.screenshot({ path: path.join(FOLDER, `${name}-${width}-${theme}.png`) });
      await page.goto("about:blank");
      await visit(page, await fragmentLink(server, bundle()));
      await page.getByRole("button", { name: "Raw", exact: true }).click();
      await page.getByRole("button", { name: "Highlight", exact: true }).click();
      await page.waitForSelector("pre.raw .block > span");
      await take("raw");
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.locator("textarea").first().waitFor();
      await take("editor");
      // a renderer that does not come, on a page that has decoded
      await page.goto("about:blank");
      let release;
      const held = new Promise((resolve) => (release = resolve));
      await page.route(/\/page\/csv-[^/]*\.mjs$/, async (route) => (await held, route.continue()));
      await page.goto(await fragmentLink(server, envelopeOf(ARTIFACTS.csv)));
      await page.waitForSelector("html[data-viewer-state=artifact]", { state: "attached" });
      await page.waitForTimeout(500);
      await take("loading");
      release();
      await page.waitForSelector("html[data-renderer-ready=true]", { state: "attached" });
    });
