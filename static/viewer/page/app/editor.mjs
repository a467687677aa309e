/*
 * editor.mjs - an artifact as text to change, and a new link for what became of it.
 *
 * Drafts belong to what was opened and stay while one looks at other files of the bundle. A link is of one state
 * of the drafts: when they change, it is no longer offered.
 */
import { built } from "arxd:build";
import { wasGivenUp } from "./codec.mjs";
import { copyButton } from "./clipboard.mjs";
import { button, h, style } from "./dom.mjs";
import { field, input, makeFragment, makeShort, textarea } from "./draft.mjs";
import { headingOf } from "./kinds.mjs";
import { madeLink, ofShort, overBudget } from "./made-link.mjs";
import { builtUrl } from "./trust.mjs";

/** What was decoded -> Map of artifact id to its draft. */
const allDrafts = new WeakMap();

const TEXT = { type: "content", label: "Content" };
/** The texts of an artifact that can be changed. */
function textsOf(artifact) {
  if (artifact.kind !== "diff") return [TEXT];
  if (typeof artifact.patch === "string" && artifact.patch !== "") return [{ type: "patch", label: "Patch" }];
  return [
    { type: "oldContent", label: "Old" },
    { type: "newContent", label: "New" },
  ];
}

/** Where the files of a patch begin: [name, offset]. */
function filesOfPatch(patch) {
  const starts = [...patch.matchAll(/^diff --git a\/.* b\/(.*)$/gm)];
  const found = starts.length > 0 ? starts : [...patch.matchAll(/^--- .*\r?\n\+\+\+ (?:b\/)?([^\t\r\n]*)/gm)];
  return found.map((match) => [match[1], match.index]);
}

export function editor(viewer, artifact, { close, choose, signal }) {
  const { store } = viewer;
  const { result } = store.state;
  const { artifacts } = result.envelope;
  if (!allDrafts.has(result)) allDrafts.set(result, new Map());
  const drafts = allDrafts.get(result);
  const draft = drafts.get(artifact.id) ?? { ...artifact };
  style(builtUrl(built["home.entry.css"]));

  let made = null; // what codec.encode() said of the drafts as they were
  let running = null;

  // ---- fields ----
  const touch = () => {
    drafts.set(artifact.id, draft);
    running?.abort();
    if (made) {
      made = null;
      said.textContent = "The draft changed. Generate a new link for it.";
    }
    outcome.replaceChildren();
    enable();
  };
  const text = (value) => (typeof value === "string" ? value : "");
  const line = (name) => {
    const control = input({
      oninput: () => {
        if (control.value.trim() === "") delete draft[name];
        else draft[name] = control.value;
        touch();
      },
    });
    control.value = text(draft[name]);
    return control;
  };
  const areas = textsOf(artifact).map(({ type, label }) => {
    const area = textarea({
      "aria-label": label,
      oninput: () => {
        draft[type] = area.value;
        touch();
      },
    });
    area.value = text(draft[type]);
    return area;
  });

  // ---- the link ----
  const said = h("span", { class: "changed", role: "status" });
  const outcome = h("div", { class: "outcome" });
  const alarm = (message) => outcome.replaceChildren(h("p", { class: "remark", role: "alert" }, message));
  const envelope = () => ({
    ...result.envelope,
    activeArtifactId: artifact.id,
    artifacts: artifacts.map((each) => drafts.get(each.id) ?? each),
  });
  async function run(work) {
    running?.abort();
    running = new AbortController();
    const own = running.signal;
    said.textContent = "";
    outcome.replaceChildren();
    try {
      await work(own);
    } catch (error) {
      if (!own.aborted && !signal.aborted && !wasGivenUp(error)) alarm(error.message);
    }
  }
  const generate = () =>
    run(async (own) => {
      const answer = await makeFragment({ envelope: envelope() }, own);
      if (own.aborted || signal.aborted) return;
      made = answer.fitsFragmentBudget ? answer : null;
      if (made) said.textContent = `Link ready: ${made.visibleLength.toLocaleString("en-US")} of 8,192 characters.`;
      else alarm(overBudget(answer));
      enable();
    });
  const generateShort = () =>
    run(async (own) => {
      const stored = ofShort(await makeShort({ envelope: envelope() }, own));
      if (!own.aborted && !signal.aborted) outcome.replaceChildren(madeLink(stored, signal));
    });
  const preview = button("Preview here", () => (location.hash = made.fragment.replace(/^#/, "")));
  const copy = copyButton("Copy link", () => made.url, signal);
  const enable = () => {
    preview.disabled = copy.disabled = made === null;
  };
  enable();

  // ---- the rail ----
  const patchFiles = areas.length === 1 && textsOf(artifact)[0].type === "patch" ? filesOfPatch(areas[0].value) : [];
  const jump = (offset) => {
    const [area] = areas;
    area.focus();
    area.setSelectionRange(offset, offset);
    area.scrollTop = (area.value.slice(0, offset).split("\n").length - 1) * 22;
  };
  const isRailed = artifacts.length > 1 || patchFiles.length > 1;
  const rail = isRailed
    ? h(
        "nav",
        { class: "rail", "aria-label": "Files to edit" },
        h(
          "ul",
          null,
          artifacts.map((each) =>
            h(
              "li",
              null,
              button(headingOf(each), () => each.id !== artifact.id && choose(each.id), { "aria-pressed": String(each.id === artifact.id), class: null }),
              each.id === artifact.id && patchFiles.length > 1
                ? h("ul", null, patchFiles.map(([name, offset]) => h("li", null, button(name, () => jump(offset), { class: null }))))
                : null,
            ),
          ),
        ),
      )
    : null;

  return h(
    "main",
    { class: isRailed ? "editor railed" : "editor" },
    rail,
    h(
      "div",
      null,
      h(
        "p",
        { class: "choices" },
        button("Generate new link", generate, { class: "action primary" }),
        preview,
        copy,
        button("Make a short link", generateShort),
        button("Close the editor", () => close()),
        said,
      ),
      outcome,
      h("div", { class: "fields" }, field("Title", line("title")), field("File name", line("filename")), artifact.kind === "code" ? field("Language", line("language")) : null),
      areas.length === 2 ? h("div", { class: "pair-texts" }, areas) : areas[0],
    ),
  );
}
