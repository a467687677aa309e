/* home.mjs - the home page: what this is, a form that makes links, samples, an inspector, honest caveats. */
import { built } from "arxd:build";
import { bar } from "./bar.mjs";
import { codec, wasGivenUp } from "./codec.mjs";
import { h, style } from "./dom.mjs";
import { inspector } from "./inspector.mjs";
import { maker } from "./maker.mjs";
import { whileSlow } from "./progress.mjs";
import { SAMPLES } from "./samples.mjs";
import { builtUrl } from "./trust.mjs";

const HONEST = [
  ["Whoever has the link has the content.", "It stays in browser histories, chat logs and bookmarks. Nothing can call it back."],
  ["What follows the # is not sent. It is not secret either.", "Extensions, synchronised histories and screenshots see what you see."],
  ["A short link is stored on this server", "until it expires, and its operator can read it. For what no server should have, make a fragment link."],
];

const LINKS = [
  ["security", "Security: what is sent, what is kept"],
  ["url-explainer", "How a link holds a page"],
  ["openapi.json", "The API, for programs"],
  ["llms.txt", "The same, for agents"],
  ["THIRD_PARTY_NOTICES.txt", "Works of others in this page"],
];

function samples() {
  const failed = h("p", { class: "warning", role: "alert" });
  const open = async (artifact) => {
    try {
      const made = await whileSlow(codec.encode({ artifact, codec: "arx5" }, { group: "sample" }));
      location.hash = made.fragment.replace(/^#/, "");
    } catch (error) {
      if (!wasGivenUp(error)) failed.textContent = error.message;
    }
  };
  return [
    h(
      "ul",
      { class: "samples" },
      SAMPLES.map(([name, about, artifact]) =>
        h("li", null, h("button", { type: "button", onclick: () => open(artifact) }, h("span", { class: "sample-name" }, name), h("span", { class: "sample-about" }, about))),
      ),
    ),
    failed,
  ];
}

export async function show(app, viewer, signal) {
  await style(builtUrl(built["home.entry.css"]));
  if (signal.aborted) return;
  app.replaceChildren(
    bar(viewer),
    h(
      "main",
      { class: "home" },
      h(
        "section",
        { class: "lead" },
        h("h1", null, "The link is the document"),
        h(
          "p",
          null,
          "A report, a source file, a patch, a table or a JSON document, packed into a link. What follows the # is decoded in the browser of whoever opens it; no server is sent it.",
        ),
      ),
      h("section", { "aria-label": "Make a link" }, maker(signal)),
      h("section", null, h("h2", null, "Five kinds, one of each"), samples()),
      h("section", null, h("h2", null, "What is in a link?"), inspector(signal)),
      h("section", null, h("h2", null, "What to know before you share one"), h("dl", { class: "honest" }, HONEST.map(([what, why]) => h("div", null, h("dt", null, what), h("dd", null, why))))),
      h("footer", null, h("ul", null, LINKS.map(([href, text]) => h("li", null, h("a", { href }, text))))),
    ),
  );
  scrollTo(0, 0);
  document.documentElement.dataset.rendererReady = "true";
}
