/*
 * page.mjs - how long a person waits: `make bench-page`.
 *
 * An 8 KB Markdown text as arx5, opened warm (HTTP cache filled, compiled code cached) in Chromium on an
 * arxd of its own; medians of ten, in milliseconds. A table; nothing is asserted of times.
 *
 *   fetch    until the page's modules have arrived and run, as its first message to the worker tells
 *   prime    a decode of a text of one character: the core, the asset set, the model
 *   decode   the decode of the text, less that
 *   render   from the decoded envelope until everything is shown
 *   total    from navigation until everything is shown
 *   longest  the longest task of the main thread meanwhile; 0 when none took 50 ms
 */
import { startServer } from "../http/harness.mjs";
import { envelopeOf, fragmentLink, launch, shown } from "../browser/browser.mjs";

const RUNS = 10;
const BYTES = 8 * 1024;

/** Paragraphs, lists and tables of words that do not repeat too well. */
function text() {
  const words = "service queue reader writer request table index latency budget deploy branch review token window bucket payload".split(" ");
  let seed = 7;
  const next = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
  let made = "# A report of eight kilobytes\n\n";
  for (let i = 1; made.length < BYTES; i++) {
    const sentence = () => `The ${Array.from({ length: 9 }, () => words[next() % words.length]).join(" ")} took ${next() % 1000} ms.`;
    made += `## Part ${i}\n\n${sentence()} **${sentence()}** ${sentence()}\n\n- ${sentence()}\n- \`${words[i % words.length]}\` ${sentence()}\n\n| what | ms |\n|--|--:|\n| ${words[next() % words.length]} | ${next() % 1000} |\n\n`;
  }
  return made.slice(0, BYTES);
}

/** Runs in the page, before anything of it. */
function observe() {
  window.marks = { longest: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.marks.longest = Math.max(window.marks.longest, duration);
  }).observe({ type: "longtask", buffered: true });
  const { Worker: Original } = window;
  window.Worker = class extends Original {
    postMessage(data, ...more) {
      if (data?.type === "call" && data.name === "decode") window.marks.asked ??= performance.now();
      return super.postMessage(data, ...more);
    }
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        if (data?.type === "done") window.marks.decoded ??= performance.now();
      });
    }
  };
  new MutationObserver(() => {
    if (document.documentElement.dataset.viewerState === "artifact" && document.documentElement.dataset.rendererReady === "true")
      window.marks.shown ??= performance.now();
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-renderer-ready", "data-viewer-state"] });
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const server = await startServer();
const browser = await launch();
try {
  const context = await browser.newContext({ baseURL: server.origin });
  await context.addInitScript(observe);
  const page = await context.newPage();
  const links = {
    whole: await fragmentLink(server, envelopeOf({ kind: "markdown", content: text() }), { codec: "arx5" }),
    small: await fragmentLink(server, envelopeOf({ kind: "markdown", content: "x" }), { codec: "arx5" }),
  };
  const open = async (link) => {
    await page.goto("about:blank");
    await page.goto(link);
    await shown(page);
    await page.waitForFunction(() => window.marks.shown);
    return page.evaluate(() => window.marks);
  };
  for (const link of Object.values(links)) for (let i = 0; i < 3; i++) await open(link);
  const runs = { whole: [], small: [] };
  for (let i = 0; i < RUNS; i++) for (const name of ["whole", "small"]) runs[name].push(await open(links[name]));
  const of = (name, value) => median(runs[name].map(value));
  const prime = of("small", ({ asked, decoded }) => decoded - asked);
  const rows = [
    ["fetch", of("whole", ({ asked }) => asked)],
    ["prime", prime],
    ["decode", Math.max(0, of("whole", ({ asked, decoded }) => decoded - asked) - prime)],
    ["render", of("whole", ({ decoded, shown: end }) => end - decoded)],
    ["total", of("whole", ({ shown: end }) => end)],
    ["longest task", of("whole", ({ longest }) => longest)],
  ];
  console.log(`Markdown of ${BYTES} bytes as arx5, a link of ${links.whole.length} characters; warm, medians of ${RUNS}\n`);
  for (const [name, ms] of rows) console.log(`${name.padEnd(14)}${ms.toFixed(1).padStart(8)} ms`);
} finally {
  await browser.close();
  await server.stop();
}
