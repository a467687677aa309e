/* home.mjs - the home page: what this is, and what it is honest about. */
import { bar } from "./bar.mjs";
import { h } from "./dom.mjs";

const HONEST = [
  ["A link is the content.", "Whoever has it can read it. It lives on in browser histories, chat logs and bookmarks; nothing can call it back."],
  ["A fragment is not sent, but it is not secret either.", "Extensions, screenshots and synchronised histories see what you see."],
  ["A short link is stored here.", "This server keeps its text until it expires. Use a fragment link for what it should not have."],
];

export function show(app, viewer) {
  app.replaceChildren(
    bar(viewer),
    h(
      "main",
      { class: "home" },
      h(
        "section",
        { class: "lead" },
        h("h1", null, "A link that is the page"),
        h("p", null, "arxd packs a report, a source file, a patch, a table or a JSON document into a link. What comes after the # is decoded in your browser and never sent to a server."),
      ),
      h(
        "section",
        { class: "honest" },
        h("h2", null, "What it does not do"),
        h("dl", null, HONEST.map(([what, why]) => h("div", null, h("dt", null, what), h("dd", null, why)))),
      ),
    ),
  );
  document.documentElement.dataset.rendererReady = "true";
}
