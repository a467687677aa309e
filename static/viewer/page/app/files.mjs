/* files.mjs - the files of a bundle: a quiet list beside the artifact, a row on phones. */
import { h } from "./dom.mjs";
import { headingOf, KINDS, supportingLabelOf } from "./kinds.mjs";

const noteOf = (artifact) => `${KINDS[artifact.kind].name} \u00b7 ${supportingLabelOf(artifact)}`;

/** @returns null where there is only one */
export function fileList(viewer, signal) {
  const { store } = viewer;
  const { artifacts } = store.state.result.envelope;
  if (artifacts.length < 2) return null;
  const buttons = artifacts.map((artifact) =>
    h(
      "button",
      {
        type: "button",
        onclick: () => artifact.id !== store.state.activeId && viewer.choose(artifact.id),
      },
      h("span", { class: "offscreen" }, "Open artifact "),
      h("span", { class: "file-name", dir: "auto" }, headingOf(artifact)),
      " ",
      h("span", { class: "file-note" }, noteOf(artifact)),
    ),
  );
  const press = () => {
    if (signal.aborted) return;
    buttons.forEach((element, i) => element.setAttribute("aria-pressed", String(artifacts[i].id === store.state.activeId)));
  };
  store.watch(["activeId"], press);
  press();
  return h(
    "nav",
    { class: "files", "aria-label": "Files of this bundle" },
    h("ul", null, buttons.map((element) => h("li", null, element))),
  );
}
