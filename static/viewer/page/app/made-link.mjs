/* made-link.mjs - a link that was just made: what it is, how long, and what to do with it. */
import { copyButton } from "./clipboard.mjs";
import { counted, h, number } from "./dom.mjs";
import { FRAGMENT } from "./limits.mjs";
import { lengthWarning } from "./markdown-link.mjs";

/** Of a link that is its content. @param made what codec.encode() says */
export const ofFragment = (made) => ({
  url: made.url,
  markdownLink: made.markdownLink,
  about: `${number(made.visibleLength)} of ${number(FRAGMENT)} characters \u00b7 ${made.codec}`,
  warning: made.discordMarkdownLinkWarning,
});

/** Of a stored one. @param artifact the server's answer */
export const ofShort = (artifact) => ({
  url: artifact.short_url ?? artifact.url,
  markdownLink: artifact.markdown_link,
  about: artifact.expires_at ? `Stored until ${new Date(artifact.expires_at).toLocaleString()}` : "Stored",
  warning: lengthWarning(artifact.markdown_link ?? ""),
});

/** @param {{ extra?: Node[] }} [options] more buttons */
export function madeLink({ url, markdownLink, about, warning }, signal, { extra = [] } = {}) {
  const line = h("input", { type: "text", class: "field link", readonly: true, "aria-label": "The link", onfocus: () => line.select() });
  line.value = url;
  return h(
    "div",
    { class: "made", role: "status" },
    line,
    h(
      "p",
      { class: "choices" },
      copyButton("Copy link", () => url, signal, { class: "action primary" }),
      markdownLink ? copyButton("Copy Markdown link", () => markdownLink, signal) : null,
      extra,
      h("span", { class: "chip" }, about),
    ),
    warning ? h("p", { class: "warning" }, warning) : null,
  );
}

/** Said of a link that is too long to be one. @param made what codec.encode() says */
export const overBudget = (made) =>
  `This link needs ${counted(made.visibleLength, "fragment character")}, which is over the ${number(FRAGMENT)} character limit. A short link has room for it.`;
