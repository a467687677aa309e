/*
 * details.mjs - the line above an artifact, and behind it all that can be known of the link.
 *
 * What costs work (the length of the link as a URL) is asked for when it is opened.
 */
import { codec } from "./codec.mjs";
import { button, counted, h, number } from "./dom.mjs";
import { bodyOf, filenameOf, kickerOf, KINDS, languageOf, supportingLabelOf } from "./kinds.mjs";
import { FRAGMENT } from "./limits.mjs";

const HEAD = 160;
const TAIL = 44;
const LONG = 220;

const preview = (fragment) => {
  const hash = `#${fragment}`;
  return hash.length > LONG ? `${hash.slice(0, HEAD)}...${hash.slice(-TAIL)}` : hash;
};

const WIRES = { base64url: "base64url", base76: "base76", base1k: "base1k", basebmp: "baseBMP" };

function codecText({ codec: name, wire, prior, packed }) {
  const said = [name];
  if (wire) said.push(WIRES[String(wire).toLowerCase()] ?? wire);
  if (prior) said.push(`prior ${prior}`);
  if (packed) said.push("packed");
  return said.join(" \u00b7 ");
}

function transportOf(source) {
  if (source.from === "fragment") return "Fragment: no server has seen it";
  return source.rawUrl ? "Short link: stored on this server" : "Short link: stored on this server, its views counted";
}

/** The set that was used, and the others: with one of them some links say other words. */
function assetSetValue(viewer, { assetSet, otherSets }, source) {
  if (!assetSet) return "None needed";
  return [
    h("code", null, assetSet),
    ...(otherSets ?? []).flatMap((id) => [
      " ",
      button(`Read with ${id}`, () => viewer.open(source, id), { class: "action plain" }),
    ]),
  ];
}

/** @returns rows of [name, value] */
function rowsOf(viewer, artifact) {
  const { source, result } = viewer.store.state;
  const rows = [
    ["Kind", KINDS[artifact.kind].name],
    ["Artifact", h("code", null, artifact.id)],
    ["File", filenameOf(artifact) ?? "Not provided"],
    ["Size", counted(bodyOf(artifact).length, "character")],
  ];
  if (artifact.kind === "code") rows.push(["Language", languageOf(artifact) ?? "Not provided"]);
  if (artifact.kind === "diff") rows.push(["View", artifact.view ?? "unified"]);
  rows.push(
    ["Status", "Decoded"],
    ["Budget", `${number(result.visibleLength)} / ${number(FRAGMENT)} characters`],
    ["Codec", codecText(result)],
    ["Transport", transportOf(source)],
    ["Asset set", assetSetValue(viewer, result, source)],
  );
  const expires = document.getElementById("artifact")?.dataset.expires;
  if (source.from === "stored" && expires && !Number.isNaN(Date.parse(expires)))
    rows.push(["Expires", h("time", { datetime: expires }, new Date(expires).toLocaleString())]);
  if (source.rawUrl)
    rows.push(["Raw", h("a", { href: `${source.rawUrl}/${encodeURIComponent(artifact.id)}` }, "Plain text of this artifact")]);
  if (result.warnings?.length) rows.push(["Warnings", result.warnings.map((text) => h("p", null, String(text.message ?? text)))]);
  rows.push(["Hash", h("code", { class: "hash" }, preview(source.fragment))]);
  return rows;
}

export function details(viewer, artifact, signal) {
  const list = h("dl", { class: "facts" });
  const fill = async () => {
    if (!element.open || list.firstChild) return;
    const put = ([name, value]) => list.append(h("div", null, h("dt", null, name), h("dd", null, value)));
    rowsOf(viewer, artifact).forEach(put);
    const { source, result } = viewer.store.state;
    try {
      const told = await codec.inspect(source.fragment, { group: "details", assetSet: result.assetSet, signal });
      put(["As a URL", `${number(told.transportLength)} characters after percent-encoding`]);
    } catch {
      // one fact fewer
    }
  };
  const element = h(
    "details",
    { class: "details", ontoggle: fill },
    h(
      "summary",
      null,
      h("span", { class: "pill" }, "Decoded"),
      h("span", { class: "supporting", dir: "auto" }, supportingLabelOf(artifact)),
      h("span", { class: "size" }, counted(bodyOf(artifact).length, "character")),
      h("span", { class: "more" }, "Details"),
    ),
    list,
  );
  return element;
}
