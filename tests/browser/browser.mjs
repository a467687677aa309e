/*
 * browser.mjs - Debian's Chromium on the real arxd, and a watch on everything it complains about.
 *
 *   const { server, open } = await startBrowser();      once a file, in before()
 *   const page = await open(t, { width: 390, theme: "dark" });
 *
 * Every page has a profile of its own and is closed when its test ends. The test fails if, meanwhile,
 * a Content-Security-Policy was violated, an error was printed or thrown, or anything was asked of
 * another origin; what a test provokes on purpose it names with `allow` (patterns of such lines).
 */
import assert from "node:assert/strict";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { startServer } from "../http/harness.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", // nothing leaves the machine
];

export const launch = (options) =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS, ...options });

/** Every complaint of a context, as lines. */
function watch(context, origin) {
  const lines = [];
  context.on("console", (message) => message.type() === "error" && lines.push(`console: ${message.text()} (${message.location().url})`));
  context.on("weberror", (error) => lines.push(`thrown: ${error.error()?.stack ?? error.error()}`));
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url) && !url.startsWith("about:")) lines.push(`request: ${url.slice(0, 200)}`);
  });
  return lines;
}

/** @returns { server, browser, open(t, options) } for `origin`, by default that of an arxd of its own */
export async function startBrowser({ args = [], server: given } = {}) {
  const server = given ?? (await startServer({ args }));
  const browser = await launch();
  after(async () => {
    await browser.close();
    if (!given) await server.stop();
  });

  /**
   * @param t the test's context
   * @param {{ width, height, theme, allow, ...context }} options the rest is Playwright's for a context
   */
  async function open(t, { width = 1280, height = 800, theme = "light", allow = [], ...more } = {}) {
    const context = await browser.newContext({
      baseURL: server.origin,
      viewport: { width, height },
      colorScheme: theme,
      permissions: ["clipboard-read", "clipboard-write"],
      reducedMotion: "reduce",
      locale: "en-US",
      ...more,
    });
    context.setDefaultTimeout(60_000);
    const complaints = watch(context, server.origin);
    await context.exposeBinding("reportViolation", (_, line) => complaints.push(`policy: ${line}`));
    await context.addInitScript(() => {
      const report = ({ effectiveDirective, blockedURI, sample, sourceFile, lineNumber }) =>
        window.reportViolation?.(`${effectiveDirective} ${blockedURI} "${sample}" at ${sourceFile}:${lineNumber}`);
      addEventListener("securitypolicyviolation", report);
    });
    const page = await context.newPage();
    page.complaints = () => complaints.filter((line) => !allow.some((pattern) => pattern.test(line)));
    t.after(async () => {
      await context.close();
      assert.deepEqual(page.complaints(), [], "the browser complained");
    });
    return page;
  }

  return { server, browser, open };
}

/* ---- the page, as it tells of itself ---- */

/** Waits until the root has this state, and what is shown is shown whole. */
export async function shown(page, state = "artifact") {
  const selector = state === "artifact" ? `html[data-viewer-state=artifact][data-renderer-ready=true]` : `html[data-viewer-state=${state}]`;
  await page.waitForSelector(selector, { state: "attached" });
}

/** Opens a link and waits until it is shown. A change of the fragment alone loads nothing. */
export async function visit(page, link, state) {
  await page.goto(link);
  await shown(page, state);
}

export const told = (page) => page.evaluate(() => ({ ...document.documentElement.dataset }));

/* ---- links ---- */

export const TAGS = { p: "plain", l: "lz", d: "deflate", a: "arx", b: "arx2", c: "arx3", e: "arx4", f: "arx5" };

export const envelopeOf = (artifacts, more = {}) => ({
  v: 1,
  codec: "plain",
  ...more,
  artifacts: [artifacts].flat().map((artifact, i) => ({ id: `artifact-${i + 1}`, ...artifact })),
});

/** The link that holds an envelope. */
export async function fragmentLink(server, envelope, options = {}) {
  const { status, body, text } = await server.post("/encode", { envelope, ...options });
  assert.equal(status, 200, text);
  return body.url;
}

/** The path of a short link. */
export async function shortLink(server, envelope, options = {}) {
  const { id } = await server.create({ envelope, ...options });
  return `/${id}`;
}
