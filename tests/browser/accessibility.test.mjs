/* accessibility.test.mjs - axe finds nothing to object to, in any state, either theme, on desk and phone. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import fs from "node:fs";
import { test } from "node:test";
import { ARTIFACTS, bundle, KINDS } from "./artifacts.mjs";
import { envelopeOf, fragmentLink, startBrowser, visit } from "./browser.mjs";

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const { server, open } = await startBrowser();

const faults = async (page) => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { iframes: false }));
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary?.split("\n").at(-1)}`).join("; ").slice(0, 500)}`);
};

const cases = [
  ["home", async () => ["/", "empty"]],
  ["error", async () => ["/#zz", "error"]],
  ["bundle", async () => [await fragmentLink(server, bundle()), "artifact"]],
  ...KINDS.map((kind) => [kind, async () => [await fragmentLink(server, envelopeOf(ARTIFACTS[kind])), "artifact"]]),
];

/** A page is opened once, and looked at in both themes and both widths. */
async function everywhere(page, name) {
  for (const width of [1280, 390])
    for (const theme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: theme });
      await page.waitForSelector(`html[data-theme=${theme}]`, { state: "attached" });
      assert.deepEqual(await faults(page), [], `${name}, ${theme}, ${width} px wide`);
    }
}

for (const [name, make] of cases)
  test(name, { timeout: 300_000 }, async (t) => {
    const page = await open(t);
    const [link, state] = await make();
    await visit(page, link, state);
    await everywhere(page, name);
    if (state !== "artifact") return;
    await page.locator("summary", { hasText: "Details" }).first().click();
    await page.locator("dl.facts dt").first().waitFor();
    await page.getByRole("button", { name: "Raw", exact: true }).click();
    await page.waitForSelector("pre.raw");
    await page.waitForSelector("html[data-renderer-ready=true]", { state: "attached" });
    await page.locator("summary", { hasText: "Details" }).first().click();
    await page.locator("dl.facts dt").first().waitFor();
    await everywhere(page, `${name}, raw, details open`);
  });

test("the editor", async (t) => {
  const page = await open(t);
  for (const envelope of [bundle(), envelopeOf({ kind: "diff", oldContent: "o", newContent: "n" })]) {
    await page.goto("about:blank");
    await visit(page, await fragmentLink(server, envelope));
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.locator("textarea").first().waitFor();
    await everywhere(page, "editor");
  }
});

test("/security and /url-explainer", async (t) => {
  const page = await open(t);
  for (const path of ["/security", "/url-explainer"]) {
    await page.goto(path);
    await everywhere(page, path);
  }
});

test("notices, which no script makes", async (t) => {
  const page = await open(t, { allow: [/status of 404/] });
  const { id } = await server.create({ envelope: envelopeOf(ARTIFACTS.csv), max_views: 2 });
  for (const target of ["/3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab", `/${id}`]) {
    await page.goto(target);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await faults(page), [], `${target}, ${width} px wide`);
    }
  }
});

test("keys: everything that can be done can be reached, and is seen when it is", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, bundle()));
  const reached = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      return { name: element.getAttribute("aria-label") ?? element.textContent.trim().replace(/\s+/g, " ").slice(0, 60), isSeen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 };
    });
    if (!focused) break;
    assert.ok(focused.isSeen, `focus on "${focused.name}" can be seen`);
    reached.add(focused.name);
  }
  for (const name of ["arxd: Go to homepage", "Rendered", "Raw", "Copy", "Markdown link", "Print", "Download", "Open artifact Status JSON \u00b7 status.json", "Switch to dark theme"])
    assert.ok(reached.has(name), `${name} among ${[...reached].join(", ")}`);
});
