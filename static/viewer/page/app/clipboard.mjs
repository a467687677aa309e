/* clipboard.mjs - text into the clipboard, the old way where the new one is refused. */
import { h } from "./dom.mjs";

/** @returns whether it is there now */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // no permission, or not a secure context
  }
}

function copyBySelection(text) {
  const area = h("textarea", { class: "offscreen", "aria-hidden": "true", tabindex: "-1" });
  const focused = document.activeElement;
  area.value = text;
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    focused?.focus?.();
  }
}

/** How long a button says what became of it. */
const SAID_MS = 2000;

/**
 * A button that copies what `text()` gives and says so for two seconds. An answer that comes after
 * `signal` aborted is nobody's any more.
 */
export function copyButton(word, text, signal, properties) {
  let timer = null;
  const element = h("button", {
    type: "button",
    class: "action",
    ...properties,
    onclick: async () => {
      const isCopied = await copyText(await text());
      if (signal?.aborted) return;
      element.textContent = isCopied ? "Copied" : "Copy failed";
      clearTimeout(timer);
      timer = setTimeout(() => (element.textContent = word), SAID_MS);
    },
  });
  element.setAttribute("aria-live", "polite");
  element.textContent = word;
  return element;
}
