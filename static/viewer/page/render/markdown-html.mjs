/*
 * markdown-html.mjs - Markdown's tokens as safe nodes.
 *
 * marked writes HTML, DOMPurify reads it: what comes out can carry no script, no style and no address but of
 * the web, mail and this text. Nothing is fetched from elsewhere: a picture that is not in the text
 * itself becomes a link.
 */
import { Marked } from "marked";
import { safeNodes } from "./purify.mjs";

/** Marks where a fence goes; its text never becomes HTML. */
export const PLACE = "data-fence";

/** Before ids of headings: nothing in a text may name a part of the page. */
const ID = "text-";

const escapeHtml = (text) =>
  text.replace(/[&<>"']/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[sign]);

/** GitHub's way of naming headings. */
const slug = (text) =>
  text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replace(/ /g, "-");

let fences = null; // of the call under way

const parser = new Marked({
  gfm: true,
  renderer: {
    html: () => "",
    code({ text, lang }) {
      fences.push({ text, info: lang ?? "" });
      return `<div ${PLACE}="${fences.length - 1}"></div>`;
    },
    heading({ tokens, depth }) {
      const id = slug(this.parser.parseInline(tokens, this.parser.textRenderer));
      return `<h${depth} id="${escapeHtml(ID + id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    image({ href, title, text }) {
      if (/^data:image\/(png|gif|jpeg|webp|avif|svg\+xml)[;,]/i.test(href))
        return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}"${title ? ` title="${escapeHtml(title)}"` : ""}>`;
      return `<a href="${escapeHtml(href)}" class="picture">${escapeHtml(text || title || "picture")}</a>`;
    },
    checkbox: ({ checked }) => `<input type="checkbox" disabled aria-label="${checked ? "done" : "to do"}"${checked ? " checked" : ""}> `,
  },
});

const RULES = {
  ALLOWED_TAGS: [
    ..."a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr img input li ol p strong table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["align", "alt", "aria-label", "checked", "class", "disabled", "href", "id", "src", "start", "title", "type", PLACE],
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tel:|#|data:image\/)|^(?![a-z][a-z0-9+.-]*:)/i,
};

/** One call's tokens as a fragment of nodes; their fences are added to `collected`. */
export function markdownNodes(tokens, links, collected) {
  fences = collected;
  tokens.links = links;
  const nodes = safeNodes(parser.parser(tokens), RULES);
  for (const table of nodes.querySelectorAll("table")) {
    const wrapper = document.createElement("div");
    wrapper.className = "table";
    wrapper.tabIndex = 0;
    wrapper.setAttribute("role", "region");
    wrapper.setAttribute("aria-label", "Table");
    table.replaceWith(wrapper);
    wrapper.append(table);
  }
  for (const box of nodes.querySelectorAll("li > input, li > p > input")) box.closest("li").classList.add("task");
  return nodes;
}

/** A click on a link to a heading of the text: scrolls there; the fragment is the link's, and stays. */
export function linkIn(event, article, viewer) {
  const link = event.target.closest?.("a[href]");
  const href = link?.getAttribute("href");
  if (!href) return;
  if (href.startsWith("#")) {
    event.preventDefault();
    let name = href.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      // as it is written
    }
    const target = article.querySelector(`#${CSS.escape(ID + name)}`) ?? article.querySelector(`#${CSS.escape(ID + slug(name))}`);
    target?.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    return;
  }
  // A relative link to a file of the bundle opens that file.
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(href)) return;
  const file = viewer?.store.state.result.envelope.artifacts.find(({ filename }) => filename && filename === href.replace(/^\.\//, ""));
  if (!file) return;
  event.preventDefault();
  viewer.choose(file.id);
}
