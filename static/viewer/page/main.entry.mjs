/*
 * main.entry.mjs - the page: what the address holds is decoded and shown.
 *
 *     address -> source -> decode (worker) -> state -> view (home, reading, failure)
 *
 * The state is one flat object (STATE below); views watch it and change it only through `viewer`. The last
 * source wins: whatever was under way for an older one is aborted.
 */
import { codec, wasGivenUp } from "./app/codec.mjs";
import { h } from "./app/dom.mjs";
import { headingOf } from "./app/kinds.mjs";
import { whileSlow } from "./app/progress.mjs";
import * as reading from "./app/reading.mjs";
import { currentSource } from "./app/source.mjs";
import { createStore } from "./app/store.mjs";

const SERVICE = "arxd";

/** Every view, and what loads it. The reading view is what links are for: it is here already. */
const VIEWS = {
  empty: () => import("./app/home.mjs"),
  artifact: async () => reading,
  error: () => import("./app/failure.mjs"),
  "decoded-no-artifact": () => import("./app/failure.mjs"),
};

const STATE = {
  view: null, // a key of VIEWS; null until the first link is decoded
  source: null, // see source.mjs
  result: null, // what codec.decode() says
  activeId: null, // of the artifact that is shown
  error: null, // { code, message }
};

const app = document.getElementById("app");
const root = document.documentElement;
const store = createStore(STATE);
let opening = null; // AbortController of the newest source
let showing = null; // AbortController of the view on the page

/** Decodes a source and shows it. @param {string} [assetSet] another set than the source would choose */
async function open(source, assetSet) {
  opening?.abort();
  opening = new AbortController();
  const { signal } = opening;
  if (source.from === "none") {
    store.update({ view: "empty", source, result: null, activeId: null, error: null });
    return;
  }
  try {
    const decoding = codec.decode(source.fragment, {
      skipBudget: source.from === "stored",
      assetSet: assetSet ?? source.assetSet,
      signal,
    });
    const result = await whileSlow(decoding);
    const { activeArtifactId, artifacts } = result.envelope;
    const active = artifacts.find(({ id }) => id === activeArtifactId) ?? artifacts[0];
    const view = active ? "artifact" : "decoded-no-artifact";
    store.update({ view, source, result, activeId: active?.id ?? null, error: null });
  } catch (error) {
    if (signal.aborted || wasGivenUp(error)) return;
    const { code = "internal", message } = error;
    store.update({ view: "error", source, result: null, activeId: null, error: { code, message } });
  }
}

const viewer = {
  store,
  open,

  /** Shows another artifact of the bundle. A fragment link follows; a short link stays as it is. */
  async choose(id) {
    const { source, result } = store.state;
    store.update({ activeId: id });
    if (source.from !== "fragment") return;
    try {
      const envelope = { ...result.envelope, activeArtifactId: id };
      const made = await codec.encode({ envelope, codec: result.codec }, { group: "choose", assetSet: result.assetSet });
      if (store.state.source !== source || store.state.activeId !== id || !made.fitsFragmentBudget) return;
      const fragment = made.fragment.replace(/^#/, "");
      history.replaceState(history.state, "", `${location.pathname}${location.search}#${fragment}`);
      store.update({ source: { ...source, fragment } });
    } catch {
      // the link stays what it was; what is shown is what was asked for
    }
  },

  /** To the home page, without loading anything. */
  goHome() {
    history.pushState(null, "", new URL("./", document.baseURI));
    open({ from: "none" });
  },
};

function titleOf({ view, result, activeId, error }) {
  if (error) return `Error \u2013 ${SERVICE}`;
  const artifact = result?.envelope.artifacts.find(({ id }) => id === activeId);
  if (view !== "artifact" || !artifact) return SERVICE;
  const { title } = result.envelope;
  const named = (typeof artifact.title === "string" && artifact.title.trim()) || (typeof title === "string" && title.trim());
  return `${named || headingOf(artifact)} \u2013 ${SERVICE}`;
}

async function show(state) {
  showing?.abort();
  showing = new AbortController();
  const { signal } = showing;
  document.title = titleOf(state);
  let view;
  try {
    view = await VIEWS[state.view]();
  } catch {
    if (!signal.aborted) app.replaceChildren(h("p", { class: "notice", role: "alert" }, "A part of the page could not be loaded. Reload to try again."));
    return;
  }
  if (signal.aborted) return;
  delete root.dataset.kind;
  delete root.dataset.artifactId;
  root.dataset.rendererReady = "false";
  view.show(app, viewer, signal);
  root.dataset.viewerState = state.view;
}

store.watch(["view", "result", "error"], show);
store.watch(["activeId"], (state) => {
  document.title = titleOf(state);
});

addEventListener("hashchange", () => open(currentSource(false)));
addEventListener("popstate", () => {
  const source = currentSource(false); // hashchange does not tell of a step from or to no fragment at all
  if (source.from === "none") open(source);
});

const first = currentSource(true);
// A link that counts its views was opened by a POST: the page stands at the link itself, so that reloading
// it shows the button again and counts nothing.
if (first.from === "stored" && first.rawUrl === null) history.replaceState(history.state, "", first.url);
if (first.from === "stored" && first.rawUrl && typeof WebAssembly !== "object") location.replace(first.rawUrl);
else open(first);
