/* progress.mjs - a line under the bar for what takes longer than a moment. */
import { h } from "./dom.mjs";

/** Before this, nothing is shown: what comes and goes at once only flickers. */
const PATIENCE_MS = 300;

const line = h("div", { class: "progress", role: "progressbar", "aria-label": "Working", hidden: true }, h("span"));
let running = 0;

function draw() {
  if (!line.isConnected) document.body.prepend(line);
  line.hidden = running === 0;
  if (running === 0) setProgress(null);
}

/** @param {number | null} share 0 to 1; null where nobody knows */
export function setProgress(share) {
  line.classList.toggle("known", share !== null);
  line.firstChild.style.transform = share === null ? "" : `scaleX(${share})`;
  if (share === null) line.removeAttribute("aria-valuenow");
  else line.setAttribute("aria-valuenow", String(Math.round(share * 100)));
}

/** An onProgress for codec calls. */
export const onProgress = ({ done, total }) => setProgress(total > 0 ? done / total : null);

/** Passes the promise through, and shows the line while it takes longer. */
export async function whileSlow(promise) {
  let isCounted = false;
  const timer = setTimeout(() => {
    isCounted = true;
    running++;
    draw();
  }, PATIENCE_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    if (isCounted) {
      running--;
      draw();
    }
  }
}
