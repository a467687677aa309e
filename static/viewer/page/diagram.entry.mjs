/*
 * diagram.entry.mjs - draws mermaid's diagrams, in a frame of its own.
 *
 * mermaid writes markup in many places, which the page's trusted types forbid, and leaves styles behind.
 * In here it can do so; what it makes is a string, which the page makes safe before it shows it. The frame is
 * sandboxed and has no origin; only pages of this service may frame it, so messages go to "*".
 *
 * In:  { id, text, look: { dark, variables } }     from the page that holds the frame
 * Out: { id, svg } or { id, failure }; { ready: true } once
 */
import mermaid from "mermaid";

/** What a diagram's own directives must not change: what is strict stays strict, and no style comes in. */
const SECURE = ["secure", "securityLevel", "startOnLoad", "maxTextSize", "suppressErrorRendering", "maxEdges", "themeCSS", "fontFamily", "altFontFamily", "htmlLabels"];

/**
 * Tags in labels keep no attributes: mermaid would drop them as well, but only after a parser has seen
 * them, and browsers report a handler they refuse even in a document where nothing runs.
 */
const withoutAttributes = (text) => text.replace(/<([a-z][a-z0-9]*)[\s/]+[^<>]*=[^<>]*(?:>|(?=<)|$)/gi, "<$1>");

async function draw({ id, text, look }) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    secure: SECURE,
    suppressErrorRendering: true,
    deterministicIds: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: "base",
    darkMode: look.dark,
    fontFamily: look.fontFamily,
    themeVariables: { ...look.variables, darkMode: look.dark, fontFamily: look.fontFamily, fontSize: "14px" },
  });
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, withoutAttributes(text));
    return { id, svg };
  } catch (error) {
    return { id, failure: String(error?.message ?? error) };
  }
}

let queue = Promise.resolve();
addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  queue = queue.then(async () => parent.postMessage(await draw(data), "*"));
});
parent.postMessage({ ready: true }, "*");
