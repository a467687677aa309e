/* theme.mjs - the word that changes the theme. theme.entry.js makes it one. */
import { h } from "./dom.mjs";

export const themeToggle = () => window.arxdTheme.wire(h("button", { type: "button", class: "action" }));
