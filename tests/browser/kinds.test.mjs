/* kinds.test.mjs - all five kinds, from a fragment of every tag and from a short link. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ARTIFACTS, KINDS } from "./artifacts.mjs";
import { envelopeOf, fragmentLink, shortLink, shown, startBrowser, TAGS, told, visit } from "./browser.mjs";

const { server, open } = await startBrowser();

/** Something of each that is only there when it was rendered as what it is. */
const SIGNS = {
  markdown: [["article table td", "1,204,113"], ["article h2", "Numbers"], ["article li input[type=checkbox]"], ["article blockquote", "Measure first"]],
  code: [["main", "class Window"]],
  diff: [["main", "limits.md"], ["main", "if (b->tokens < 1)"]],
  csv: [["main table", "ap-south, Mumbai"], ["main table th", "Requests"]],
  json: [["main", "regions"], ["main", "8192"]],
};

async function assertShown(page, kind) {
  const { viewerState, kind: shownKind, artifactId, rendererReady } = await told(page);
  assert.deepEqual([viewerState, shownKind, artifactId, rendererReady], ["artifact", kind, "artifact-1", "true"]);
  for (const [selector, text] of SIGNS[kind]) {
    const found = text === undefined ? page.locator(selector) : page.locator(selector, { hasText: text });
    assert.ok((await found.count()) > 0, `${kind}: ${selector} ${text ?? ""}`);
  }
  assert.equal(await page.title(), `${ARTIFACTS[kind].title} \u2013 arxd`);
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
}

for (const kind of KINDS)
  test(`${kind} from fragments of every tag`, async (t) => {
    const page = await open(t);
    for (const [tag, codec] of Object.entries(TAGS)) {
      const link = await fragmentLink(server, envelopeOf(ARTIFACTS[kind]), { codec });
      assert.equal(new URL(link).hash[1], tag);
      await page.goto("about:blank");
      await visit(page, link);
      await assertShown(page, kind);
      assert.ok(!(await page.locator("#artifact").getAttribute("data-payload")), "no server has seen it");
    }
  });

test("all kinds from short links of every codec", async (t) => {
  const page = await open(t);
  for (const [i, codec] of Object.values(TAGS).entries())
    for (const kind of i === 0 ? KINDS : [KINDS[i % KINDS.length]]) {
      const link = await shortLink(server, envelopeOf(ARTIFACTS[kind]), { codec });
      await visit(page, link);
      await assertShown(page, kind);
      assert.equal(new URL(page.url()).pathname, link);
      assert.equal(new URL(page.url()).hash, "");
    }
});

test("a payload that came with the page is not bound by the fragment's budget", async (t) => {
  const page = await open(t);
  const content = Array.from({ length: 6000 }, (_, i) => `${(i * 7919) % 99991}`).join(" ");
  await visit(page, await shortLink(server, envelopeOf({ kind: "markdown", content }), { codec: "plain" }));
  assert.ok((await page.locator("#artifact").getAttribute("data-payload")).length > 20_000);
  // another fragment takes its place, and is bound by it again
  const other = new URL(await fragmentLink(server, envelopeOf(ARTIFACTS.csv))).hash;
  await page.evaluate((hash) => (location.hash = hash), other);
  await page.waitForSelector("html[data-kind=csv][data-renderer-ready=true]", { state: "attached" });
  await page.evaluate(() => (location.hash = `#p${"A".repeat(9000)}`));
  await shown(page, "error");
  assert.match(await page.locator("body").innerText(), /This payload exceeds the supported fragment budget of 8,192 characters\./);
});

test("payloads that would break a page arrive as they are", async (t) => {
  const page = await open(t);
  for (const text of ["</script><script>alert(1)</script>", "<!-- --!> ]]>", "$$ $& $' $` $1", "\u2028\u2029\ufeff", `"quotes" 'all' &amp; &lt;`, "\u007f\u0085 del", "\u{1f680}\u{1f469}\u200d\u{1f4bb}"])
    for (const codec of ["plain", "arx3", "arx5"]) {
      const envelope = envelopeOf({ kind: "code", content: text, title: text });
      const { body } = await server.post("/encode", { envelope, codec });
      const { id } = await server.create(body.fragment);
      await visit(page, `/${id}`);
      assert.equal(await page.evaluate(() => document.getElementById("artifact").dataset.payload), body.fragment.replace(/^#/, ""));
      assert.ok((await page.locator("main").innerText()).includes(text.trim().split("\u007f")[0].trim()) || /[\u2028\u0085\ufeff]/.test(text));
    }
});
