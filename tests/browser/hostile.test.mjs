/*
 * hostile.test.mjs - artifacts that would like to run, fetch or look like something else.
 *
 * The watch of browser.mjs is the test: any violated policy, error or request elsewhere fails it. And
 * nothing of what they try may have an effect.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAYLOADS } from "../http/page.mjs";
import { envelopeOf, fragmentLink, shortLink, startBrowser, TAGS, visit } from "./browser.mjs";

const { server, open } = await startBrowser();

/** Sets window.pwned wherever it runs. */
const RUN = "window.pwned=1;top.pwned=1";
const SCRIPTS = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `"><img src=x onerror="${RUN}">`,
  `'-${RUN}-'`,
  `<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}">`,
  `javascript:${RUN}`,
  `<a href="javascript:${RUN}">x</a>`,
  "$& $' $` $$ ${alert(1)} {{constructor.constructor('window.pwned=1')()}}",
  `<base href="https://elsewhere.example/"><link rel=stylesheet href="https://elsewhere.example/x.css">`,
  `<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">`,
  `<form action="https://elsewhere.example/"><button autofocus onfocus="${RUN}">x</button></form>`,
  "\u202etxt.exe\u202c \u0000 \u2028",
];

const MARKDOWN = [
  ...SCRIPTS,
  `[link](javascript:${RUN}) [two](JaVaScRiPt:${RUN}) [tab](java\tscript:${RUN}) [entity](javascript&colon;${RUN}) [data](data:text/html,<script>${RUN}</script>) [vb](vbscript:x) [file](file:///etc/passwd)`,
  `![picture](https://elsewhere.example/track.png) ![svg](data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script><image href="https://elsewhere.example/x.png"/></svg>`).toString("base64")})`,
  `<https://elsewhere.example/auto> https://elsewhere.example/bare`,
  `[ref]: javascript:${RUN}\n\n[ref]`,
  `# <img src=x onerror=${RUN}> {#app onclick=${RUN}}\n\n## artifact\n\n## app`,
  `| <script>${RUN}</script> | \`</td>\` |\n|--|--|\n| <img src=x onerror="${RUN}"> | [x](javascript:${RUN}) |`,
  "```html\n" + SCRIPTS.join("\n") + "\n```",
  "```\"><script>window.pwned=1</script>\nx\n```",
  "```mermaid\nflowchart LR\n  A[\"<img src=x onerror='" + RUN + "'>\"] --> B[x]\n  click A href \"javascript:" + RUN + "\"\n  click B call pwn()\n```",
  "```mermaid\n%%{init: {\"securityLevel\": \"loose\", \"themeCSS\": \"@import url(https://elsewhere.example/x.css); * { background: url(https://elsewhere.example/y.png) }\", \"flowchart\": {\"htmlLabels\": true}}}%%\nflowchart LR\n  A[\"<b onclick=" + RUN + ">x</b>\"]\n  style A fill:url(https://elsewhere.example/z.png)\n```",
  "```mermaid\nsequenceDiagram\n  participant A as <script>" + RUN + "</script>\n  links A: {\"x\": \"javascript:" + RUN + "\"}\n  A->>A: <img src=x onerror=" + RUN + ">\n```",
  "```mermaid\nthis is no diagram <script>" + RUN + "</script>\n```",
].join("\n\n");

const ALL = SCRIPTS.join("\n");
const ARTIFACTS = {
  markdown: { content: MARKDOWN },
  code: { content: ALL, language: SCRIPTS[2] },
  diff: { patch: `diff --git a/${SCRIPTS[0]} b/${SCRIPTS[2]}\n--- a/${SCRIPTS[0]}\n+++ b/${SCRIPTS[2]}\n@@ -1,2 +1,2 @@ ${SCRIPTS[1]}\n-${SCRIPTS[0]}\n+${SCRIPTS[2]}\n ${SCRIPTS[4]}\n` },
  csv: { content: SCRIPTS.map((text) => `"${text.replaceAll('"', '""')}","=HYPERLINK(""javascript:${RUN}"")"`).join("\n") },
  json: { content: JSON.stringify(Object.fromEntries(SCRIPTS.map((text) => [text, [text, { __proto__: null, constructor: text }]]))) },
};

async function isHarmless(page) {
  const found = await page.evaluate(() => {
    const all = [...document.querySelectorAll("*"), ...[...document.querySelectorAll("*")].flatMap((element) => (element.shadowRoot ? [...element.shadowRoot.querySelectorAll("*")] : []))];
    return {
      pwned: window.pwned,
      inline: all.filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))).map((element) => element.outerHTML.slice(0, 120)),
      links: all.flatMap((element) => ["href", "xlink:href", "action", "formaction", "src"].map((name) => element.getAttribute(name))).filter((value) => value && /^\s*(j\s*a\s*v\s*a|vbscript|data:text|file:)/i.test(value)),
      fetching: all.filter((element) => /^(img|image|video|audio|source|embed|object|link|script|iframe)$/i.test(element.localName)).map((element) => element.src || element.href?.baseVal || element.href || element.data || "").filter((url) => /elsewhere/.test(url)),
      bases: document.querySelectorAll("base").length,
      title: document.title,
    };
  });
  assert.equal(found.pwned, undefined, "nothing ran");
  assert.deepEqual([found.inline, found.links, found.fetching], [[], [], []]);
  assert.equal(found.bases, 1);
}

for (const kind of Object.keys(ARTIFACTS))
  test(`${kind}: script in every field`, { timeout: 300_000 }, async (t) => {
    const page = await open(t);
    for (const [i, evil] of SCRIPTS.entries()) {
      const envelope = envelopeOf(
        [
          { ...ARTIFACTS[kind], kind, id: evil, title: evil, filename: evil },
          { kind, id: `2${evil}`, ...ARTIFACTS[kind], filename: evil },
        ],
        { title: evil, activeArtifactId: evil },
      );
      const codec = Object.values(TAGS)[i % 8];
      const link = i % 2 ? await shortLink(server, envelope, { codec }) : await fragmentLink(server, envelope, { codec });
      const isTooLong = !link.startsWith("/") && new URL(link).hash.length > 8000;
      await page.goto("about:blank");
      await visit(page, isTooLong ? await shortLink(server, envelope, { codec }) : link);
      await isHarmless(page);
    }
    // all that can be pressed
    for (const name of ["Raw", "Rendered", "Copy", "Markdown link"]) {
      const button = page.getByRole("button", { name, exact: true });
      if ((await button.count()) > 0) await button.first().click();
    }
    await page.locator("summary", { hasText: "Details" }).first().click();
    await page.waitForSelector("html[data-renderer-ready=true]", { state: "attached" });
    await isHarmless(page);
  });

test("what Markdown links to is what it says, in a tab of its own", async (t) => {
  const page = await open(t);
  await visit(page, await shortLink(server, envelopeOf({ kind: "markdown", content: MARKDOWN })));
  const links = await page.evaluate(() => [...document.querySelectorAll("article a[href]")].map((a) => [a.getAttribute("href"), a.target, a.rel]));
  assert.ok(links.length > 2);
  for (const [href, target, rel] of links) {
    if (href.startsWith("#")) continue;
    assert.match(href, /^(https?:|mailto:)/, href);
    assert.equal(target, "_blank", href);
    assert.match(rel, /noreferrer/, href);
  }
  // no click on a diagram leads anywhere
  const before = page.url();
  for (const node of await page.locator("figure svg").all()) await node.click({ force: true });
  assert.equal(page.url(), before);
  await isHarmless(page);
});

test("a browser reads the payload that was stored, to the character", async (t) => {
  const page = await open(t);
  for (const [name, payload] of PAYLOADS) {
    const { id } = await server.create(payload);
    await page.goto(`/${id}`);
    const read = await page.evaluate(() => ({
      payload: document.getElementById("artifact").dataset.payload,
      scripts: [...document.scripts].map(({ src, nonce, text }) => Boolean(src) && nonce === "" && text === ""),
    }));
    assert.equal(read.payload, payload, name);
    assert.ok(read.scripts.length > 0 && read.scripts.every(Boolean), `${name}: files only, and no nonce to steal`);
  }
});

test("a text cannot name parts of the page", async (t) => {
  const page = await open(t);
  await visit(page, await shortLink(server, envelopeOf({ kind: "markdown", content: "# app\n\n# artifact\n\n# body\n\n<div id=app></div>\n\n[x](#app)" })));
  assert.equal(await page.evaluate(() => document.querySelectorAll("#app").length), 1);
  assert.equal(await page.evaluate(() => document.querySelectorAll("#artifact").length), 1);
  const before = page.url();
  await page.getByRole("link", { name: "x", exact: true }).click();
  assert.equal(page.url(), before, "the fragment is the link's");
});
