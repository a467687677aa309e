/* states.test.mjs - boot, fragments and errors: what the address says is what the page shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { call, expire, UNKNOWN_ID } from "../http/calls.mjs";
import { ARTIFACTS } from "./artifacts.mjs";
import { envelopeOf, fragmentLink, shortLink, shown, startBrowser, told, visit } from "./browser.mjs";

const { server, open } = await startBrowser();
const plain = (text) => `#p${Buffer.from(text).toString("base64url")}`;
const envelope = (artifacts, more = {}) => plain(JSON.stringify({ v: 1, codec: "plain", artifacts, ...more }));
const deflated = (text) => `#d${deflateRawSync(text).toString("base64url")}`;
const note = { id: "a", kind: "markdown", content: "x" };
const text = (page) => page.locator("body").innerText();
const setHash = (page, hash) => page.evaluate((value) => (location.hash = value), hash);

test("nothing to show: the home page, and what it is honest about", async (t) => {
  const page = await open(t);
  await visit(page, "/", "empty");
  assert.equal((await told(page)).kind, undefined);
  const said = await text(page);
  for (const word of [/histor/i, /screenshot/i, /extension/i]) assert.match(said, word);
  assert.equal(await page.title(), "arxd");
});

/** Fragments that cannot be shown: what is said, and by which code. */
const ERRORS = [
  ["a fragment over the budget", `#p${"A".repeat(9000)}`, "too-large", /^This payload exceeds the supported fragment budget of 8,192 characters\.$/],
  ["another key", "#something=else", "invalid-format", /^The fragment format is invalid\. Expected #agent-render=/],
  ["an unknown tag", "#zAAAA", "invalid-format", /Unsupported|Expected/],
  ["a legacy shape that is none", "#agent-render=v1.plain", "invalid-format", /Expected v1\.<codec>\.<payload>/],
  ["a legacy codec that is none", "#agent-render=v1.zip.AAAA", "invalid-format", /Unsupported codec/],
  ["no JSON", plain("{"), "invalid-json", /^The fragment payload could not be decoded as valid JSON\.$/],
  ["over what it may decode to", deflated(`{"v":1,"codec":"deflate","artifacts":[{"id":"a","kind":"markdown","content":"${"a".repeat(250_000)}"}]}`), "decoded-too-large", /^The decoded payload exceeds the supported limit of 200,000 characters\.$/],
  ["no envelope", plain('{"v":2}'), "invalid-envelope", /^The decoded JSON did not match the payload envelope\.$/],
  ["another version", envelope([note], { v: 2 }), "invalid-envelope", /./],
  ["another codec", envelope([note], { codec: "zip" }), "invalid-envelope", /./],
  ["no artifacts", envelope([]), "invalid-envelope", /./],
  ["the same id twice", envelope([note, note]), "invalid-envelope", /./],
  ["an unknown kind", envelope([{ ...note, kind: "image" }]), "invalid-envelope", /./],
  ["no content", envelope([{ id: "a", kind: "code" }]), "invalid-envelope", /./],
  ["an id that is no string", envelope([{ ...note, id: 1 }]), "invalid-envelope", /./],
  ["a diff of nothing", envelope([{ id: "a", kind: "diff" }]), "invalid-envelope", /./],
  ["a diff with one side", envelope([{ id: "a", kind: "diff", oldContent: "x" }]), "invalid-envelope", /./],
  ["a view that is none", envelope([{ id: "a", kind: "diff", patch: "x", view: "sideways" }]), "invalid-envelope", /./],
];

test("errors: format's own texts, in an alert, with what to do next", async (t) => {
  const page = await open(t);
  for (const [name, fragment, code, pattern] of ERRORS) {
    await page.goto("about:blank");
    await visit(page, `/${fragment}`, "error");
    const said = (await page.getByRole("alert").first().innerText()).trim();
    assert.match(said, pattern, name);
    const { body, status } = await server.post("/decode", { fragment });
    assert.equal(status, 422, name);
    assert.equal(said, body.error, `${name}: as arxd says it`);
    if (code) assert.equal(body.code, code, name);
    assert.match(await text(page), /\bError\b/, name);
    assert.equal(await page.title(), "Error \u2013 arxd");
    assert.ok((await page.getByRole("button").or(page.getByRole("link")).count()) >= 2, `${name}: a way on`);
  }
});

test("bombs and impossible lengths are turned away at once", async (t) => {
  const page = await open(t);
  for (const fragment of [deflated("a".repeat(50_000_000)), `#aB.${"_".repeat(40)}`, "#fm~~~~~~~~~~~~~~~~", "#eB.__________", `#c${"\uffef".repeat(20)}`, "#l\u0001"]) {
    await page.goto("about:blank");
    const before = Date.now();
    await visit(page, `/${fragment}`, "error");
    assert.ok(Date.now() - before < 15_000, fragment.slice(0, 20));
  }
});

test("a hash change is followed, and the last one wins", async (t) => {
  const page = await open(t);
  const links = {};
  for (const [kind, artifact] of Object.entries(ARTIFACTS)) links[kind] = new URL(await fragmentLink(server, envelopeOf(artifact))).hash;
  await visit(page, `/${links.json}`);
  assert.equal((await told(page)).kind, "json");
  await setHash(page, links.csv);
  await page.waitForSelector("html[data-kind=csv][data-renderer-ready=true]", { state: "attached" });
  for (let i = 0; i < 4; i++)
    await page.evaluate((hashes) => hashes.forEach((hash) => (location.hash = hash)), [links.markdown, links.code, links.json, links.diff]);
  await page.waitForSelector("html[data-kind=diff][data-renderer-ready=true]", { state: "attached" });
  await page.waitForTimeout(300);
  assert.equal((await told(page)).kind, "diff");
  await setHash(page, "#zz");
  await shown(page, "error");
  await setHash(page, links.code);
  await page.waitForSelector("html[data-kind=code][data-renderer-ready=true]", { state: "attached" });
  await page.goBack();
  await shown(page, "error");
  await page.goBack();
  await page.waitForSelector("html[data-kind=diff][data-renderer-ready=true]", { state: "attached" });
});

test("the name goes home: without a fragment, and without loading anything", async (t) => {
  const page = await open(t);
  await visit(page, await fragmentLink(server, envelopeOf(ARTIFACTS.csv)));
  let loads = 0;
  page.on("request", (request) => (loads += Number(request.isNavigationRequest() && request.frame() === page.mainFrame())));
  await page.getByRole("link", { name: /Go to homepage/ }).click();
  await shown(page, "empty");
  assert.equal(new URL(page.url()).hash, "");
  assert.equal(loads, 0);
  await page.goBack();
  await page.waitForSelector("html[data-kind=csv][data-renderer-ready=true]", { state: "attached" });
});

test("an active id that is none, packed and bare forms: the same page", async (t) => {
  const page = await open(t);
  const two = [note, { id: "b", kind: "json", content: "1" }];
  for (const [fragment, id] of [
    [envelope(two, { activeArtifactId: "b" }), "b"],
    [envelope(two, { activeArtifactId: "nobody" }), "a"],
    [envelope(two), "a"],
    [plain('{"p":1,"v":1,"c":"plain","r":[{"i":"q","k":"markdown","c":"x"}]}'), "q"],
  ]) {
    await page.goto("about:blank");
    await visit(page, `/${fragment}`);
    assert.equal((await told(page)).artifactId, id);
  }
});

test("codec and kinds are loaded when they are needed", async (t) => {
  const page = await open(t);
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await visit(page, "/", "empty");
  await page.waitForLoadState("networkidle");
  assert.ok(!asked.some((path) => /\.wasm$|worker|mermaid|markdown|diff|table/.test(path)), asked.join("\n"));
  await visit(page, await fragmentLink(server, envelopeOf({ kind: "json", content: "[1]" }), { codec: "plain" }));
  assert.ok(asked.some((path) => /core.*\.wasm$/.test(path)));
  assert.ok(!asked.some((path) => /mermaid|diagram|brotli/.test(path)), asked.join("\n"));
});

test("links that are not there, and links that count", async (t) => {
  const page = await open(t, { allow: [/status of 404/] });
  const gone = await server.create({ envelope: envelopeOf(note) });
  expire(server.db, gone.id);
  for (const id of [UNKNOWN_ID, gone.id]) {
    assert.equal((await page.goto(`/${id}`)).status(), 404);
    assert.match(await text(page), /Artifact not found[^]*This artifact has expired or does not exist\./);
    assert.equal(await page.evaluate(() => document.scripts.length), 0);
    const { background, align } = await page.evaluate(() => {
      const of = (selector) => getComputedStyle(document.querySelector(selector));
      return { background: of("body").backgroundColor === "rgba(0, 0, 0, 0)" ? of("html").backgroundColor : of("body").backgroundColor, align: document.querySelector("main").getBoundingClientRect() };
    });
    assert.ok(background.match(/\d+/g).slice(0, 3).every((channel) => Number(channel) < 60), `dark: ${background}`);
    assert.ok(Math.abs(align.left + align.width / 2 - 640) < 20, "centred");
  }
  const { id } = await server.create({ envelope: envelopeOf({ kind: "markdown", title: "Once", content: "# only once" }), max_views: 1 });
  await page.goto(`/${id}`);
  await page.getByRole("button", { name: "Open" }).click();
  await shown(page);
  assert.match(await text(page), /only once/);
  assert.equal(new URL(page.url()).pathname, `/${id}`, "the link itself, not what counted it");
  assert.equal((await call(server, "GET", `/${id}`)).status, 404);
  // what is done with an open page asks the server for nothing: the second view is still there
  const twice = await server.create({ envelope: envelopeOf({ kind: "markdown", title: "Twice", content: "# only twice" }), max_views: 2 });
  await page.goto(`/${twice.id}`);
  await page.getByRole("button", { name: "Open" }).click();
  await shown(page);
  for (const name of ["Switch to dark theme", "Switch to light theme", "Raw", "Rendered", "Markdown link"])
    await page.getByRole("button", { name, exact: true }).click();
  assert.match(await text(page), /only twice/);
  assert.equal((await server.getJson(`/api/artifacts/${twice.id}`)).views, 2, "this read's and the button's");
});

test("reloading a link that counts shows its button again, and counts nothing", async (t) => {
  const page = await open(t);
  const { id } = await server.create({ envelope: envelopeOf({ kind: "markdown", content: "# thrice" }), max_views: 3 });
  await page.goto(`/${id}`);
  await page.getByRole("button", { name: "Open" }).click();
  await shown(page);
  await page.reload();
  await page.getByText("This link can be opened 2 more times").waitFor();
});

test("/security and /url-explainer: routes of their own, in either theme", async (t) => {
  const page = await open(t);
  for (const path of ["/security", "/url-explainer"]) {
    await page.goto(path);
    await page.getByRole("button", { name: "Switch to dark theme" }).click();
    assert.equal((await told(page)).theme, "dark");
    await page.getByRole("button", { name: "Switch to light theme" }).click();
    await page.getByRole("link", { name: /Go to homepage/ }).click();
    await shown(page, "empty");
  }
});

test("a link that was stored with a set this server has not", async (t) => {
  const page = await open(t);
  await page.route(/\/[0-9a-f-]{36}$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/data-asset-set="[^"]*"/, 'data-asset-set="0123456789abcdef"') });
  });
  await visit(page, await shortLink(server, envelopeOf(ARTIFACTS.code), { codec: "arx5" }), "error");
  assert.ok((await page.getByRole("button", { name: /Read with/ }).count()) > 0 || /set/i.test(await text(page)), await text(page));
});

test("without scripts, a short link leads to its text", async (t) => {
  const page = await open(t, { javaScriptEnabled: false });
  await page.goto(await shortLink(server, envelopeOf({ kind: "markdown", content: "# by hand\n" })));
  await page.waitForURL(/\/raw$/);
  assert.match(await text(page), /# by hand/);
});

test("without WebAssembly, too", async (t) => {
  const page = await open(t);
  await page.addInitScript(() => delete window.WebAssembly);
  await page.goto(await shortLink(server, envelopeOf({ kind: "markdown", content: "# by hand\n" })));
  await page.waitForURL(/\/raw$/);
});

test("a long decode: a line of progress after a moment, and the page stays alive", async (t) => {
  const page = await open(t);
  const content = Array.from({ length: 22_000 }, (_, i) => `w${(i * 7919) % 99_991}`).join(" ");
  const link = await shortLink(server, envelopeOf({ kind: "code", content }), { codec: "arx5" });
  await page.addInitScript(() => {
    window.seen = { bar: false, longest: 0 };
    new MutationObserver(() => {
      const bar = document.querySelector("[role=progressbar]");
      if (bar && !bar.hidden) window.seen.bar = true;
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  await visit(page, link);
  assert.ok(await page.evaluate(() => window.seen.bar), "a progress bar was seen");
  assert.equal(await page.locator("[role=progressbar]:visible").count(), 0, "and is gone");
});
