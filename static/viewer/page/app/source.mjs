/*
 * source.mjs - what the page is asked to show.
 *
 *   { from: "none" }                                                    the home page
 *   { from: "fragment", fragment }                                      after the "#", percent-coded as it is
 *   { from: "stored", fragment, assetSet, url, rawUrl }                 a short link's payload, as data in the page
 *
 * A stored payload is what the page was sent for, until the fragment changes.
 */

/** @param {boolean} isFirst false after a change of the fragment */
export function currentSource(isFirst) {
  const stored = document.getElementById("artifact");
  if (isFirst && stored?.dataset.payload !== undefined) {
    const { payload, assetSet, url, limited } = stored.dataset;
    const link = new URL(url ?? location.pathname, location.origin).href;
    return {
      from: "stored",
      fragment: payload,
      assetSet: assetSet ?? null,
      url: link,
      rawUrl: limited === undefined ? `${link}/raw` : null,
    };
  }
  return location.hash.length > 1 ? { from: "fragment", fragment: location.hash.slice(1) } : { from: "none" };
}

/** The page's own address without a fragment: what new links stand on. */
export const homeUrl = () => new URL("./", document.baseURI).href;

/** The link that shows what is shown. */
export const linkOf = (source) => (source.from === "stored" ? source.url : location.href);
