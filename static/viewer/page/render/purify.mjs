/*
 * purify.mjs - the one DOMPurify of the page: it makes its policy ("dompurify") once.
 *
 * Whoever uses it says what may stay; what is done to links and styles is the same for all.
 */
import DOMPurify from "dompurify";

const purify = DOMPurify(window);

purify.addHook("uponSanitizeElement", (node, { tagName }) => {
  // A diagram's styles may name its own parts, nothing that would have to be fetched.
  if (tagName === "style") node.textContent = node.textContent.replace(/@import[^;]*;?|url\(\s*["']?(?!\s*["']?#)[^)]*\)/gi, "");
});

purify.addHook("afterSanitizeAttributes", (node) => {
  const isLink = node.nodeName.toLowerCase() === "a";
  for (const name of ["href", "xlink:href"]) {
    const value = node.getAttribute?.(name);
    if (value === null || value === undefined || value.startsWith("#")) continue;
    if (isLink) {
      node.setAttribute("target", "_blank");
      node.setAttribute("rel", "noreferrer");
    } else node.removeAttribute(name); // <use>, filters: nothing from elsewhere
  }
});

/** @returns a fragment of nodes */
export const safeNodes = (html, rules) => purify.sanitize(html, { ...rules, RETURN_DOM_FRAGMENT: true });
