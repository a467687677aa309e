/*
 * theme.entry.js - sets the theme before the first paint; a classic script in the head, which blocks.
 *
 * What was chosen is in localStorage as "theme": light, dark or system (the default). What that
 * comes to now is on <html>: data-theme, which colours follow, and the class "dark". It follows the
 * system and other tabs. app/theme.mjs changes it by window.arxdTheme.
 */
(() => {
  const KEY = "theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      const value = localStorage.getItem(KEY);
      return value === "light" || value === "dark" ? value : "system";
    } catch {
      return "system"; // storage is forbidden
    }
  }

  let choice = chosen();
  const ofSystem = () => (system.matches ? "dark" : "light");

  function apply() {
    const theme = choice === "system" ? ofSystem() : choice;
    const root = document.documentElement;
    if (root.dataset.theme === theme) return;
    root.dataset.theme = theme;
    root.classList.toggle("dark", theme === "dark");
    dispatchEvent(new CustomEvent("arxd-theme", { detail: theme }));
  }

  system.addEventListener("change", apply);
  addEventListener("storage", ({ key }) => {
    if (key !== KEY && key !== null) return;
    choice = chosen();
    apply();
  });

  window.arxdTheme = {
    get theme() {
      return document.documentElement.dataset.theme;
    },
    /** To the other one. Where the system wants that too, it is followed from now on. */
    toggle() {
      const next = this.theme === "dark" ? "light" : "dark";
      choice = next === ofSystem() ? "system" : next;
      try {
        localStorage.setItem(KEY, choice);
      } catch {
        // for this page only, then
      }
      apply();
    },
    /** Makes a button the word that changes the theme. */
    wire(button) {
      const label = () => {
        const other = this.theme === "dark" ? "light" : "dark";
        button.textContent = other === "dark" ? "Dark" : "Light";
        button.setAttribute("aria-label", `Switch to ${other} theme`);
      };
      button.addEventListener("click", () => this.toggle());
      addEventListener("arxd-theme", label);
      label();
      return button;
    },
  };
  apply();

  // pages that have no other script bring their button along, unseen without this one
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (button) window.arxdTheme.wire(button).hidden = false;
  });
})();
