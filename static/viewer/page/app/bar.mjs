/* bar.mjs - the thin bar on top of every view: the service's name, what is shown, what can be done. */
import { h } from "./dom.mjs";
import { themeToggle } from "./theme.mjs";

/** @param {{ goHome(): void }} viewer  @param {{ title?: Node, actions?: Node[] }} content */
export function bar(viewer, { title = null, actions = [] } = {}) {
  const goHome = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    viewer.goHome();
  };
  return h(
    "header",
    { class: "bar" },
    h("a", { class: "name", href: "./", "aria-label": "arxd: Go to homepage", onclick: goHome }, "arxd"),
    title,
    h("div", { class: "actions" }, actions, themeToggle()),
  );
}
