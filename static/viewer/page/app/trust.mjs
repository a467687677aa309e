/*
 * trust.mjs - what may become code: the one Trusted Types policy of ours, "arxd".
 *
 * It lets through the URLs of built workers and nothing else. Markup goes through DOMPurify, which
 * has its own policy ("dompurify") and hands over nodes, so nothing here makes a TrustedHTML.
 */
const FILES = new URL("page/", document.baseURI).href;

function builtScript(url) {
  const { href } = new URL(url, document.baseURI);
  if (!href.startsWith(FILES)) throw new TypeError(`${href} is none of this page's scripts`);
  return href;
}

const policy = globalThis.trustedTypes?.createPolicy("arxd", { createScriptURL: builtScript });

/** A built file's address: the build names them from the root, the page may lie below it. */
export const builtUrl = (url) => new URL(`.${url}`, document.baseURI).href;

/** For new Worker(). */
export const workerScript = (url) => (policy ? policy.createScriptURL(builtUrl(url)) : builtScript(builtUrl(url)));
