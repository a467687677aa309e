/* failure.mjs - a link that cannot be shown: what is wrong, and what to do next. */
import { bar } from "./bar.mjs";
import { codec } from "./codec.mjs";
import { built } from "arxd:build";
import { button, h, style } from "./dom.mjs";
import { inspector } from "./inspector.mjs";
import { builtUrl } from "./trust.mjs";

const AGAIN = "Ask whoever sent it for the link again, copied whole: chat programs cut long links and lose characters at their ends.";

/** What to do next, by the error's code. */
const ADVICE = {
  "too-large": "A short link has no such limit. Ask for one, or for the artifact in smaller pieces.",
  "missing-key": "What follows the # is no artifact. Is this a link to something else?",
  "invalid-format": AGAIN,
  "invalid-json": AGAIN,
  "decoded-too-large": "It says more than a page can hold. Ask for it in smaller pieces.",
  "invalid-envelope": "The link is whole, but whoever made it put something else into it than an artifact. Tell them.",
  "asset-unavailable": "The link was made with another dictionary than this server has at hand. Open it where it was made, or try another set.",
  "unknown-asset-set": "This short link was stored with a dictionary that this server no longer has. Its operator can add it; the link itself is whole.",
  "no-memory": "Close some tabs and reload, or open the link on another device.",
  network: "Look after your connection, then reload.",
  internal: "Reload the page. If it stays, the browser may be too old: it needs WebAssembly and module workers.",
  empty: "Open a link, or make one on the home page.",
};

/** Codes where the same text may be readable with another asset set. */
const SETS_MATTER = new Set(["invalid-json", "invalid-envelope", "asset-unavailable", "unknown-asset-set"]);

async function otherSets(viewer, source, place, signal) {
  const { sets } = await codec.assetSets();
  if (signal.aborted) return;
  const others = sets.filter((id) => id !== source.assetSet);
  if (others.length === 0) return;
  place.append(
    h("p", null, "Asset sets of this server:"),
    h("p", { class: "choices" }, others.map((id) => button(`Read with ${id}`, () => viewer.open(source, id)))),
  );
}

export async function show(app, viewer, signal) {
  await style(builtUrl(built["home.entry.css"]));
  if (signal.aborted) return;
  const { source, error, view } = viewer.store.state;
  const { code, message } = error ?? { code: "invalid-envelope", message: "This link holds no artifact." };
  const sets = h("div");
  app.replaceChildren(
    bar(viewer),
    h(
      "main",
      { class: "notice", dataset: { code } },
      h("p", { class: "kicker" }, view === "error" ? "Error" : "Decoded"),
      h("h1", null, "This link cannot be shown"),
      h("p", { role: "alert", class: "message" }, message),
      h("p", null, ADVICE[code] ?? AGAIN),
      sets,
      source.from === "fragment" ? h("details", { class: "look-inside" }, h("summary", { class: "action" }, "Inspect the link"), inspector(signal, source.fragment, message)) : null,
      h(
        "p",
        { class: "choices" },
        button("Try again", () => viewer.open(source), { class: "action primary" }),
        source.rawUrl ? h("a", { class: "action", href: source.rawUrl }, "Plain text") : null,
        button("Go to homepage", () => viewer.goHome()),
      ),
    ),
  );
  if (SETS_MATTER.has(code)) otherSets(viewer, source, sets, signal).catch(() => {});
  document.documentElement.dataset.rendererReady = "true";
}
