/*
 * kinds.mjs - the five kinds of artifact: what they are called, saved as and shown by.
 *
 * A renderer is render(host, artifact, { signal, tools }): it fills `host`, may put controls into `tools`,
 * and resolves when all is shown. `signal` aborts when something else is to be seen: it ends every
 * listener and every piece of work of the renderer.
 */
import { codec } from "./codec.mjs";

export const KINDS = {
  markdown: {
    name: "Markdown",
    extension: ".md",
    type: "text/markdown",
    load: () => import("../render/markdown.mjs"),
  },
  code: { name: "Code", extension: ".txt", type: "text/plain", load: () => import("../render/code.mjs") },
  diff: { name: "Diff", extension: ".patch", type: "text/x-diff", load: () => import("../render/diff.mjs") },
  csv: { name: "Table", extension: ".csv", type: "text/csv", load: () => import("../render/csv.mjs") },
  json: { name: "JSON", extension: ".json", type: "application/json", load: () => import("../render/json.mjs") },
};

/** The file name without folders. */
const baseName = (filename) => filename.split(/[/\\]/).pop();
const text = (value) => (typeof value === "string" && value.trim() !== "" ? value.trim() : null);

/** Titles and file names are not checked by the format: they may be of any type. */
export const headingOf = (artifact) => text(artifact.title) ?? text(artifact.filename) ?? artifact.id;

export function supportingLabelOf(artifact) {
  const filename = text(artifact.filename);
  return filename && filename !== headingOf(artifact) ? filename : artifact.id;
}

/** What one may copy and save: of a diff the patch, else both sides. */
export const bodyOf = (artifact) =>
  artifact.kind !== "diff"
    ? artifact.content
    : typeof artifact.patch === "string" && artifact.patch !== ""
      ? artifact.patch
      : `${artifact.oldContent}\n---\n${artifact.newContent}`;

export function kickerOf(artifact) {
  if (artifact.kind === "code") return text(artifact.language) ?? "Code";
  if (artifact.kind === "diff") return `${artifact.view === "split" ? "Split" : "Unified"} diff`;
  return KINDS[artifact.kind].name;
}

export const downloadNameOf = (artifact) =>
  (text(artifact.filename) && baseName(text(artifact.filename))) || artifact.id + KINDS[artifact.kind].extension;

export const languageOf = (artifact) => text(artifact.language);
export const filenameOf = (artifact) => text(artifact.filename);

/** What a highlighter takes the artifact's text for; null where there is nothing to colour. */
export async function syntaxOf(artifact) {
  if (artifact.kind !== "code") return { markdown: "markdown", diff: "diff", json: "json" }[artifact.kind] ?? null;
  const filename = filenameOf(artifact);
  const byName = async () => filename && (await codec.fileType(filename).catch(() => null))?.language;
  return languageOf(artifact) ?? (await byName()) ?? "text";
}
