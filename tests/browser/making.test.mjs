/* making.test.mjs - links made on the page: the form, a file, samples, the inspector, the editor. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS, bundle } from "./artifacts.mjs";
import { envelopeOf, fragmentLink, shortLink, shown, startBrowser, told, visit } from "./browser.mjs";

const { server, open } = await startBrowser();
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
const madeUrl = async (page) => {
  await page.getByLabel("The link").waitFor();
  return page.getByLabel("The link").inputValue();
};

test("a text becomes a fragment link, without a server", async (t) => {
  const page = await open(t);
  await visit(page, "/", "empty");
  await page.getByLabel("Content", { exact: true }).fill("# From the form\n");
  await page.getByLabel("Title").fill("Formed");
  const posts = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
  await press(page, "Make a fragment link");
  const url = await madeUrl(page);
  assert.deepEqual(posts, []);
  const { body } = await server.post("/decode", { fragment: new URL(url).hash });
  assert.equal(body.envelope.artifacts[0].content, "# From the form\n");
  await press(page, "Copy link");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);
  await page.getByRole("link", { name: "Open", exact: true }).click();
  await page.waitForSelector("html[data-kind=markdown][data-renderer-ready=true]", { state: "attached" });
  assert.equal(await page.title(), "Formed \u2013 arxd");
});

test("a text becomes a short link; one that is too long for a fragment is told of it", async (t) => {
  const page = await open(t);
  await visit(page, "/", "empty");
  const content = Array.from({ length: 9000 }, (_, i) => (i * 7919) % 99991).join(" ");
  await page.getByLabel("Content", { exact: true }).fill(content);
  await press(page, "Make a fragment link");
  assert.match(await page.getByRole("alert").innerText(), /over the 8,192 character limit/);
  await press(page, "Make a short link");
  const url = await madeUrl(page);
  await visit(page, url);
  await press(page, "Copy");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), content);
});

test("a file says its kind; one that is no text is refused", async (t) => {
  const page = await open(t);
  await visit(page, "/", "empty");
  await page.locator("input[type=file]").setInputFiles({ name: "t.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
  await page.waitForFunction(() => document.querySelector("form.maker textarea").value.startsWith("a,b"));
  await press(page, "Make a fragment link");
  const { body } = await server.post("/decode", { fragment: new URL(await madeUrl(page)).hash });
  assert.deepEqual([body.envelope.artifacts[0].kind, body.envelope.artifacts[0].filename], ["csv", "t.csv"]);
  await page.locator("input[type=file]").setInputFiles({ name: "x.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0xff, 0xfe, 0x80]) });
  await page.getByRole("alert").filter({ hasText: "no UTF-8 text" }).waitFor();
});

test("a file that is dropped on the form fills it", async (t) => {
  const page = await open(t);
  await visit(page, "/", "empty");
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['{"dropped": true}'], "d.json", { type: "application/json" }));
    return data;
  });
  await page.locator("form.maker").dispatchEvent("dragover", { dataTransfer: dropped });
  await page.locator("form.maker.over").waitFor();
  await page.locator("form.maker").dispatchEvent("drop", { dataTransfer: dropped });
  await page.waitForFunction(() => document.querySelector("form.maker textarea").value === '{"dropped": true}');
  assert.equal(await page.locator("form.maker.over").count(), 0);
  await press(page, "Make a fragment link");
  const { body } = await server.post("/decode", { fragment: new URL(await madeUrl(page)).hash });
  assert.deepEqual([body.envelope.artifacts[0].kind, body.envelope.artifacts[0].filename], ["json", "d.json"]);
});

test("samples of all five kinds", async (t) => {
  const page = await open(t);
  await visit(page, "/", "empty");
  const samples = page.locator(".samples button, .samples a");
  assert.equal(await samples.count(), 5);
  const kinds = new Set();
  for (let i = 0; i < 5; i++) {
    await page.goto("about:blank");
    await visit(page, "/", "empty");
    await samples.nth(i).click();
    await shown(page);
    kinds.add((await told(page)).kind);
  }
  assert.equal(kinds.size, 5);
});

test("the inspector says what a link holds, and what is wrong with one", async (t) => {
  const page = await open(t);
  await visit(page, "/", "empty");
  const box = page.getByLabel("Link to inspect");
  await box.fill(await fragmentLink(server, bundle(), { codec: "arx5" }));
  await press(page, "Inspect");
  const facts = page.locator(".inspector dl");
  await facts.waitFor();
  assert.match(await facts.innerText(), /Codec\s+arx5[^]*Within 8,192\s+yes[^]*Artifact json\s+json/);
  await box.fill("#zz");
  await press(page, "Inspect");
  await page.locator(".inspector .remark").waitFor();
});

test("the editor: a new link for what was changed, and none for what changed since", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, envelopeOf(ARTIFACTS.csv)));
  await press(page, "Edit");
  const area = page.locator("textarea").first();
  await area.fill("a,b\n1,2\n");
  const ready = () => page.getByRole("button", { name: "Copy link" }).first().isEnabled();
  assert.equal(await ready(), false);
  await press(page, "Generate new link");
  await page.waitForFunction(() => [...document.querySelectorAll("button")].some((button) => button.textContent === "Copy link" && !button.disabled));
  await area.fill("a,b\n1,3\n");
  assert.equal(await ready(), false);
  assert.equal(await page.getByRole("button", { name: "Preview here" }).isEnabled(), false);
  assert.ok(await page.getByText(/The draft changed/).isVisible());
  await press(page, "Generate new link");
  await page.waitForFunction(() => [...document.querySelectorAll("button")].some((button) => button.textContent === "Preview here" && !button.disabled));
  await press(page, "Preview here");
  await page.waitForSelector("html[data-kind=csv][data-renderer-ready=true]", { state: "attached" });
  await page.locator("tbody td", { hasText: "3" }).waitFor();
  assert.match(new URL(page.url()).hash, /^#./);
});

test("the editor: over the budget, files of a bundle, drafts that stay, both sides of a pair", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, bundle()));
  await press(page, "Edit");
  await page.locator("textarea").first().fill("a draft");
  const rail = page.getByRole("navigation", { name: "Files to edit" });
  await rail.getByRole("button", { name: ARTIFACTS.json.title }).click();
  await page.locator("textarea").first().fill(JSON.stringify(Array.from({ length: 9000 }, (_, i) => (i * 7919) % 99991)));
  await press(page, "Generate new link");
  assert.match(await page.getByRole("alert").innerText(), /8,192/);
  await rail.getByRole("button", { name: ARTIFACTS.markdown.title }).click();
  await page.waitForFunction(() => document.querySelector("textarea")?.value === "a draft");
  await visit(page, await shortLink(server, envelopeOf({ kind: "diff", oldContent: "o", newContent: "n" })));
  await press(page, "Edit");
  await page.waitForSelector("textarea");
  assert.deepEqual(await page.locator("textarea").evaluateAll((all) => all.map(({ value }) => value)), ["o", "n"]);
});

test("the editor: the bar leads out of it, to the artifact or its raw text", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, bundle()));
  const files = page.getByRole("navigation", { name: "Files of this bundle" });
  for (const [word, shown] of [["Raw", ".sheet-raw"], ["Rendered", ".sheet-markdown"]]) {
    await press(page, "Edit");
    await page.waitForSelector("textarea");
    assert.equal(await page.locator(".modes [aria-pressed=true]").count(), 0);
    assert.equal(await files.isVisible(), false);
    await press(page, word);
    await page.locator(shown).waitFor();
    assert.equal(await page.locator("textarea").count(), 0);
    assert.ok(await files.isVisible());
  }
});
