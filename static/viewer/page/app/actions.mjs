/* actions.mjs - what can be done with the artifact that is shown, as words in the bar. */
import { copyButton } from "./clipboard.mjs";
import { button, h } from "./dom.mjs";
import { bodyOf, downloadNameOf, headingOf, KINDS } from "./kinds.mjs";
import { lengthWarning, markdownLink } from "./markdown-link.mjs";
import { printArtifact } from "./print.mjs";
import { linkOf } from "./source.mjs";

const MODES = [
  ["rendered", "Rendered"],
  ["raw", "Raw"],
];

/** How long a blob's address must live for a download to begin. */
const BLOB_MS = 60_000;

function download(artifact) {
  const { type } = KINDS[artifact.kind];
  const url = URL.createObjectURL(new Blob([bodyOf(artifact)], { type: `${type};charset=utf-8` }));
  const link = h("a", { href: url, download: downloadNameOf(artifact) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), BLOB_MS);
}

/** @param {{ mode, setMode(mode), edit(), signal }} options */
export function artifactActions(viewer, artifact, { mode, setMode, edit, signal }) {
  const warning = h("p", { class: "warning", role: "status" });
  const link = () => {
    const made = markdownLink(headingOf(artifact), linkOf(viewer.store.state.source));
    warning.textContent = lengthWarning(made) ?? "";
    return made;
  };
  const modes = h(
    "span",
    { class: "modes", role: "group", "aria-label": "View" },
    MODES.map(([value, word]) =>
      button(word, () => value !== mode && setMode(value), { "aria-pressed": String(value === mode) }),
    ),
  );
  return [
    modes,
    copyButton("Copy", () => bodyOf(artifact), signal),
    copyButton("Markdown link", link, signal),
    button("Edit", edit),
    button("Print", () => printArtifact()),
    button("Download", () => download(artifact), { class: "action primary" }),
    warning,
  ];
}

