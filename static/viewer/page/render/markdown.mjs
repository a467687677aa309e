/*
 * markdown.mjs - Markdown as a text to read: GFM by marked, made safe by DOMPurify.
 *
 *     text -> tokens -> a few blocks at a time: HTML -> DOMPurify -> nodes -> page
 *
 * Long texts go in slices, so that the page stays alive. Raw HTML is left out. Fences are coloured and
 * mermaid's drawn afterwards: a text without them loads neither.
 */
import { marked } from "marked";
import { breathe, h } from "../app/dom.mjs";
import { linkIn, markdownNodes, PLACE } from "./markdown-html.mjs";
import { showFence } from "./fence.mjs";

/** Characters of Markdown in one slice. */
const SLICE = 12_000;

function* slices(tokens) {
  let slice = [];
  let length = 0;
  for (const token of tokens) {
    slice.push(token);
    length += token.raw.length;
    if (length < SLICE) continue;
    yield slice;
    slice = [];
    length = 0;
  }
  if (slice.length > 0) yield slice;
}

export async function render(host, artifact, { signal, viewer }) {
  const article = h("article", { class: "prose", dir: "auto" });
  host.append(article);
  const tokens = marked.lexer(artifact.content, { gfm: true });
  const fences = [];
  let isFirst = true;
  for (const slice of slices(tokens)) {
    if (!isFirst) await breathe();
    signal.throwIfAborted();
    isFirst = false;
    const nodes = markdownNodes(slice, tokens.links, fences);
    article.append(nodes);
  }
  article.addEventListener("click", (event) => linkIn(event, article, viewer), { signal });
  const pending = [];
  for (const place of article.querySelectorAll(`[${PLACE}]`)) {
    const fence = fences[Number(place.getAttribute(PLACE))];
    if (fence) pending.push(showFence(place, fence, signal));
  }
  await Promise.all(pending);
}
