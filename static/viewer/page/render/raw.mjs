/* raw.mjs - an artifact as the plain text it is. No highlighter, no library. */
import { bodyOf } from "../app/kinds.mjs";
import { h, inSlices } from "../app/dom.mjs";

/** Lines in one block: blocks off the screen are not laid out. */
const BLOCK = 200;

export async function showRaw(host, artifact, { signal }) {
  const lines = bodyOf(artifact).split("\n");
  const pre = h("pre", { class: "raw", tabindex: "0", dir: "auto" });
  host.append(pre);
  const blocks = [];
  for (let i = 0; i < lines.length; i += BLOCK) blocks.push(lines.slice(i, i + BLOCK));
  await inSlices(blocks, signal, (block, i) => {
    const text = block.join("\n") + (i < blocks.length - 1 ? "\n" : "");
    pre.append(h("span", { class: "block" }, text));
  });
}
