/*
 * diagram.mjs - mermaid's diagrams on the page: drawn in a frame, made safe here.
 *
 * The frame (diagram.html) is made with the first diagram. It is sandboxed: it has no origin, and can
 * reach neither the page nor the server. A diagram lives in a shadow root: its style sheet reaches nothing
 * else. It is drawn anew when the theme changes.
 */
import { h } from "../app/dom.mjs";
import { safeNodes } from "./purify.mjs";

let frame = null; // promise of the frame's window
let nextId = 1;
const waiting = new Map(); // id -> resolve

/** A frame that never answers is none. */
const START_MS = 20_000;

function openFrame() {
  return new Promise((resolve, reject) => {
    const element = h("iframe", {
      class: "diagram-frame",
      src: new URL("diagram", document.baseURI).href,
      sandbox: "allow-scripts",
      title: "Diagrams are drawn here",
      "aria-hidden": "true",
      tabindex: "-1",
    });
    const timer = setTimeout(() => {
      frame = null;
      element.remove();
      reject(new Error("the drawing library could not be loaded. Reload to try again."));
    }, START_MS);
    addEventListener("message", ({ source, data }) => {
      if (source !== element.contentWindow) return;
      if (data?.ready) {
        clearTimeout(timer);
        resolve(element.contentWindow);
      } else {
        waiting.get(data?.id)?.(data);
        waiting.delete(data?.id);
      }
    });
    document.body.append(element);
  });
}

/** mermaid's colours, from the page's. */
function look() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const [paper, tint, ink, muted, rule, accent] = ["--paper", "--tint", "--ink", "--muted", "--rule", "--accent"].map(colour);
  return {
    dark: document.documentElement.dataset.theme === "dark",
    fontFamily: colour("--sans"),
    variables: {
      background: paper,
      primaryColor: tint,
      primaryTextColor: ink,
      primaryBorderColor: muted,
      secondaryColor: paper,
      secondaryTextColor: ink,
      secondaryBorderColor: rule,
      tertiaryColor: paper,
      tertiaryTextColor: ink,
      tertiaryBorderColor: rule,
      lineColor: muted,
      textColor: ink,
      mainBkg: tint,
      nodeBorder: muted,
      clusterBkg: paper,
      clusterBorder: rule,
      titleColor: ink,
      edgeLabelBackground: paper,
      noteBkgColor: paper,
      noteTextColor: ink,
      noteBorderColor: accent,
      actorBkg: tint,
      actorBorder: muted,
      actorTextColor: ink,
      signalColor: ink,
      signalTextColor: ink,
      labelBoxBkgColor: tint,
      labelBoxBorderColor: muted,
      activationBkgColor: rule,
    },
  };
}

async function draw(text) {
  frame ??= openFrame();
  const target = await frame;
  const id = nextId++;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  target.postMessage({ id, text, look: look() }, "*");
  return answer;
}

const RULES = {
  USE_PROFILES: { svg: true, svgFilters: true, html: true },
  ADD_TAGS: ["foreignObject"],
  HTML_INTEGRATION_POINTS: { foreignobject: true },
  FORBID_TAGS: ["image", "img", "audio", "video", "picture", "source", "form", "input", "button", "select", "textarea"],
};

/** Fills `figure` with the diagram, or with what went wrong and the text. Never rejects but on abort. */
export async function showDiagram(figure, text, signal) {
  let newest = 0;
  const drawing = h("div");
  const shadow = drawing.attachShadow({ mode: "open" });

  async function show() {
    const mine = ++newest;
    let answer;
    try {
      answer = await draw(text);
    } catch (error) {
      answer = { failure: error.message };
    }
    if (signal.aborted || mine !== newest) return;
    const svg = answer.svg && safeNodes(answer.svg, RULES).querySelector("svg");
    if (svg) {
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `Diagram: ${text.trim().split("\n", 1)[0]}`);
      shadow.replaceChildren(svg);
      figure.replaceChildren(drawing);
    } else {
      figure.replaceChildren(
        h("p", { class: "remark", role: "alert" }, `Diagram render failed: ${answer.failure ?? "nothing was drawn."}`),
        h("pre", { tabindex: "0" }, h("code", null, text)),
      );
    }
  }

  addEventListener("arxd-theme", show, { signal });
  await show();
}
