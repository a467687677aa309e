/* inspector.mjs - what a link holds, without showing it. */
import { codec, wasGivenUp } from "./codec.mjs";
import { counted, h, number } from "./dom.mjs";
import { textarea } from "./draft.mjs";
import { whileSlow } from "./progress.mjs";
import { homeUrl } from "./source.mjs";

const yesNo = (value) => (value ? "yes" : "no");

function rowsOf(told) {
  const rows = [
    ["Codec", told.legacy ? `${told.codec}, in the legacy form` : told.codec],
    ["Wire", told.wire ?? "none"],
    ["Prior", told.prior ?? "none"],
    ["Asset set", told.assetSet ?? "none needed"],
    ["Packed", told.packed === undefined || told.packed === null ? "does not apply" : yesNo(told.packed)],
    ["Visible", counted(told.visibleLength, "character")],
    ["As a URL", counted(told.transportLength, "character")],
    ["Coded", told.codedBytes === undefined || told.codedBytes === null ? null : counted(told.codedBytes, "byte")],
    ["Decoded", told.decodedLength === undefined || told.decodedLength === null ? null : counted(told.decodedLength, "character")],
    ["Within 8,192", yesNo(told.fitsFragmentBudget)],
    ["Fits a Discord message", told.fitsDiscord === undefined ? null : yesNo(told.fitsDiscord)],
  ];
  for (const { id, kind, length } of told.artifacts ?? []) rows.push([`Artifact ${id}`, `${kind}, ${number(length)} characters`]);
  return rows.filter(([, value]) => value !== null);
}

/** @param {string} [link] to begin with, with `message` said of it */
export function inspector(signal, link = "", message = "") {
  const box = textarea({ rows: 3, placeholder: "A link, or what follows its #", "aria-label": "Link to inspect" });
  const outcome = h("div", { class: "outcome", role: "status" });
  const say = (text) => outcome.replaceChildren(h("p", { class: "remark" }, text));
  let newest = 0;

  async function inspect() {
    const mine = ++newest;
    const text = box.value.trim();
    if (text === "") return outcome.replaceChildren();
    try {
      const told = await whileSlow(codec.inspect(text, { baseUrl: homeUrl(), group: "inspector", signal }));
      if (mine !== newest) return;
      outcome.replaceChildren(h("dl", { class: "facts" }, rowsOf(told).map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))));
    } catch (error) {
      if (mine === newest && !signal.aborted && !wasGivenUp(error)) say(error.message);
    }
  }

  box.value = link;
  if (message) say(message);
  return h(
    "form",
    {
      class: "inspector",
      onsubmit: (event) => {
        event.preventDefault();
        inspect();
      },
    },
    box,
    h("p", { class: "choices" }, h("button", { type: "submit", class: "action primary" }, "Inspect")),
    outcome,
  );
}
