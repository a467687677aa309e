/*
 * reading.mjs - the reading view: one bar, the files of a bundle, the artifact.
 *
 * Loaded with the page. The kind's renderer and the editor come when they are asked for.
 */
import { artifactActions } from "./actions.mjs";
import { bar } from "./bar.mjs";
import { details } from "./details.mjs";
import { h } from "./dom.mjs";
import { fileList } from "./files.mjs";
import { filenameOf, headingOf, kickerOf, KINDS } from "./kinds.mjs";
import { showRaw } from "../render/raw.mjs";

/** What stands in for an artifact, once it is slow. */
const SKELETON_MS = 300;

const root = document.documentElement;

export function show(app, viewer, signal) {
  const { store } = viewer;
  const artifactNow = () => store.state.result.envelope.artifacts.find(({ id }) => id === store.state.activeId);
  const files = fileList(viewer, signal);
  const stage = h("div", { class: "stage" });
  let shown = null; // AbortController of the artifact on the page
  let head = h("header");

  const page = h("div", { class: files ? "reading bundle" : "reading" }, files, stage);
  app.replaceChildren(head, page);

  let isEditing = false;
  function setEditing(yes) {
    isEditing = yes;
    page.classList.toggle("editing", yes);
  }

  /**
   * Ends what is shown, and has a bar for what comes. Gives that one's life.
   * @param {"rendered" | "raw" | "edit"} mode
   */
  function begin(artifact, mode) {
    shown?.abort();
    shown = new AbortController();
    const lifetime = shown.signal;
    const newHead = bar(viewer, {
      title: h(
        "div",
        { class: "bar-title" },
        h("h1", { title: headingOf(artifact), dir: "auto" }, headingOf(artifact)),
        h("span", { class: "bar-kind" }, kickerOf(artifact)),
      ),
      actions: artifactActions(viewer, artifact, { mode, setMode: showArtifact, edit: () => edit(artifact), signal: lifetime }),
    });
    head.replaceWith(newHead);
    head = newHead;
    root.dataset.kind = artifact.kind;
    root.dataset.artifactId = artifact.id;
    root.dataset.rendererReady = "false";
    return lifetime;
  }

  /** @param {"rendered" | "raw"} mode */
  function showArtifact(mode = "rendered") {
    const artifact = artifactNow();
    const lifetime = begin(artifact, mode);
    setEditing(false);
    renderInto(artifact, mode, lifetime);
  }

  async function renderInto(artifact, mode, lifetime) {
    const host = h("div", { class: `artifact ${artifact.kind}` });
    const tools = h("div", { class: "tools" });
    const main = h(
      "main",
      { class: `sheet sheet-${mode === "raw" ? "raw" : artifact.kind}` },
      h("div", { class: "under" }, details(viewer, artifact, lifetime), tools),
      printHead(artifact),
      host,
    );
    // Until the renderer has come, the older artifact stays: nothing flashes.
    const place = () => {
      if (!main.isConnected) stage.replaceChildren(main);
    };
    const skeleton = setTimeout(() => {
      place();
      host.append(h("div", { class: "skeleton", "aria-hidden": "true" }, h("i"), h("i"), h("i"), h("i")));
    }, SKELETON_MS);
    try {
      const { render } = mode === "raw" ? { render: showRaw } : await KINDS[artifact.kind].load();
      if (lifetime.aborted) return;
      clearTimeout(skeleton);
      host.replaceChildren();
      place();
      await render(host, artifact, { signal: lifetime, tools, viewer });
    } catch (error) {
      if (lifetime.aborted) return;
      clearTimeout(skeleton);
      place();
      console.error(error);
      const reason = error instanceof TypeError && /import|module/i.test(error.message) ? "A part of the page could not be loaded." : "This artifact could not be laid out.";
      host.replaceChildren(h("p", { class: "remark", role: "alert" }, `${reason} Here is its plain text.`));
      await showRaw(host, artifact, { signal: lifetime });
    } finally {
      clearTimeout(skeleton);
    }
    if (!lifetime.aborted) root.dataset.rendererReady = "true";
  }

  async function edit(artifact) {
    const lifetime = begin(artifact, "edit");
    const { editor } = await import("./editor.mjs");
    if (lifetime.aborted) return;
    setEditing(true);
    stage.replaceChildren(
      editor(viewer, artifact, { close: () => showArtifact(), choose: (id) => viewer.choose(id), signal: lifetime }),
    );
    root.dataset.rendererReady = "true";
  }

  store.watch(["activeId"], () => {
    if (signal.aborted || store.state.view !== "artifact") return;
    if (isEditing) edit(artifactNow());
    else showArtifact();
    scrollTo(0, 0);
  });
  signal.addEventListener("abort", () => shown?.abort());
  showArtifact();
}

/** On paper there is no bar. */
function printHead(artifact) {
  const filename = filenameOf(artifact);
  return h(
    "div",
    { class: "print-head", "aria-hidden": "true" },
    h("p", { class: "kicker" }, kickerOf(artifact)),
    h("p", { class: "print-title" }, headingOf(artifact)),
    filename && filename !== headingOf(artifact) ? h("p", { class: "print-file" }, filename) : null,
  );
}
