/* raw.mjs - an artifact as the plain text it is; its colours, and what makes them, only when asked for. */
import { bodyOf, syntaxOf } from "../app/kinds.mjs";
import { button, h, inSlices } from "../app/dom.mjs";

/** Lines in one block: blocks off the screen are not laid out. */
const BLOCK = 200;

/** The word that colours the text; it is pressed once it has. */
function colouring(blocks, text, language, signal) {
  const toggle = button(
    "Highlight",
    async () => {
      if (toggle.getAttribute("aria-pressed") === "true") {
        toggle.setAttribute("aria-pressed", "false");
        blocks.forEach((block) => block.replaceChildren(block.textContent));
        return;
      }
      toggle.setAttribute("aria-pressed", "true");
      const { colours, inkedNodes } = await import("./highlight.mjs");
      const made = await colours(text, language);
      const cursor = { piece: 0 };
      let at = 0;
      if (!made || signal.aborted || toggle.getAttribute("aria-pressed") !== "true") return;
      await inSlices(blocks, signal, (block) => {
        const to = at + block.textContent.length;
        block.replaceChildren(...inkedNodes(text, at, to, made, cursor));
        at = to;
      }).catch((error) => !signal.aborted && console.error(error));
    },
    { "aria-pressed": "false" },
  );
  return toggle;
}

export async function showRaw(host, artifact, { signal, tools }) {
  const text = bodyOf(artifact);
  const lines = text.split("\n");
  const pre = h("pre", { class: "raw", tabindex: "0", dir: "auto" });
  const blocks = [];
  host.append(pre);
  const parts = [];
  for (let i = 0; i < lines.length; i += BLOCK) parts.push(lines.slice(i, i + BLOCK));
  await inSlices(parts, signal, (part, i) => {
    const block = h("span", { class: "block" }, part.join("\n") + (i < parts.length - 1 ? "\n" : ""));
    blocks.push(block);
    pre.append(block);
  });
  const language = tools && (await syntaxOf(artifact));
  signal.throwIfAborted();
  if (language) tools.append(colouring(blocks, text, language, signal));
}
