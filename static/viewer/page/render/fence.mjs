/* fence.mjs - a fenced block of a Markdown text: code in its colours, or a diagram. */
import { h } from "../app/dom.mjs";

/** The first word of the info string, as it is written: "c++" and "objective-c" stay. */
export const languageOfInfo = (info) => info.trim().split(/\s+/)[0] || "text";

/** Puts the fence in place of `place`. Resolves when it is shown as it will stay. */
export async function showFence(place, { text, info }, signal) {
  const language = languageOfInfo(info);
  if (language.toLowerCase() === "mermaid") {
    const figure = h("figure", { class: "diagram" });
    place.replaceWith(figure);
    const { showDiagram } = await import("./diagram.mjs");
    await showDiagram(figure, text, signal);
    return;
  }
  const code = h("code", null, text);
  place.replaceWith(
    h(
      "div",
      { class: "fence" },
      h("span", { class: "chip" }, language),
      h("pre", { tabindex: "0", dir: "ltr", "aria-label": `${language} code` }, code),
    ),
  );
  const { highlightInto } = await import("./highlight.mjs");
  await highlightInto(code, text, language, signal);
}
