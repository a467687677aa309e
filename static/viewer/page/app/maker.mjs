/* maker.mjs - the form of the home page: a text or a file becomes a link. */
import { wasGivenUp } from "./codec.mjs";
import { button, h } from "./dom.mjs";
import { field, input, KIND_CHOICES, makeFragment, makeShort, readFile, select, textarea, VIEW_CHOICES } from "./draft.mjs";
import { madeLink, ofFragment, ofShort, overBudget } from "./made-link.mjs";

export function maker(signal) {
  const content = textarea({ rows: 9, placeholder: "Paste a text, or drop a file here", "aria-label": "Content" });
  const kind = select(KIND_CHOICES, "markdown", { onchange: adapt });
  const title = input();
  const filename = input();
  const language = input();
  const view = select(VIEW_CHOICES, "unified");
  const languageField = field("Language", language);
  const viewField = field("Layout", view);
  const file = h("input", { type: "file", class: "offscreen", tabindex: "-1", "aria-hidden": "true", onchange: () => take(file.files[0]) });
  const outcome = h("div", { class: "outcome" });
  let running = null; // AbortController of the newest making

  function adapt() {
    languageField.hidden = kind.value !== "code";
    viewField.hidden = kind.value !== "diff";
  }

  async function take(chosen) {
    if (!chosen) return;
    try {
      const read = await readFile(chosen);
      if (signal.aborted) return;
      content.value = read.content;
      filename.value = read.filename;
      kind.value = read.kind;
      language.value = read.language ?? "";
      outcome.replaceChildren();
      adapt();
    } catch (error) {
      alarm(error.message);
    }
    file.value = "";
  }

  const alarm = (message) => outcome.replaceChildren(h("p", { class: "remark", role: "alert" }, message));

  const artifact = () => {
    const made = { kind: kind.value, title: title.value, filename: filename.value, content: content.value };
    if (kind.value === "code") made.language = language.value;
    if (kind.value === "diff") made.diffView = view.value;
    return made;
  };

  /** Runs one of the two ways; a newer click ends an older one. */
  async function make(way) {
    running?.abort();
    running = new AbortController();
    const own = running.signal;
    outcome.replaceChildren();
    try {
      const said = await way({ artifact: artifact() }, own);
      if (own.aborted || signal.aborted) return;
      outcome.replaceChildren(said);
    } catch (error) {
      if (!own.aborted && !signal.aborted && !wasGivenUp(error)) alarm(error.message);
    }
  }

  const open = (url) => h("a", { class: "action", href: url }, "Open");
  const asFragment = async (request, own) => {
    const made = await makeFragment(request, own);
    if (!made.fitsFragmentBudget) return h("p", { class: "remark", role: "alert" }, overBudget(made));
    return madeLink(ofFragment(made), signal, { extra: [open(made.url)] });
  };
  const asShort = async (request, own) => {
    const stored = ofShort(await makeShort(request, own));
    return madeLink(stored, signal, { extra: [open(stored.url)] });
  };

  const form = h(
    "form",
    {
      class: "maker",
      onsubmit: (event) => {
        event.preventDefault();
        make(asFragment);
      },
      ondragover: (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        form.classList.add("over");
      },
      ondragleave: () => form.classList.remove("over"),
      ondrop: (event) => {
        form.classList.remove("over");
        if (!event.dataTransfer?.files.length) return;
        event.preventDefault();
        take(event.dataTransfer.files[0]);
      },
    },
    content,
    h("div", { class: "fields" }, field("Kind", kind), field("Title", title), field("File name", filename), languageField, viewField),
    h(
      "p",
      { class: "choices" },
      h("button", { type: "submit", class: "action primary" }, "Make a fragment link"),
      button("Make a short link", () => make(asShort)),
      button("Choose a file", () => file.click()),
      file,
    ),
    outcome,
  );
  adapt();
  signal.addEventListener("abort", () => running?.abort());
  return form;
}
