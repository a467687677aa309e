/* theme.mjs - the word that changes the theme. theme.entry.js keeps it. */
import { button } from "./dom.mjs";

export function themeToggle() {
  const toggle = button("", () => window.arxdTheme.toggle());
  const label = () => {
    const other = window.arxdTheme.theme === "dark" ? "light" : "dark";
    toggle.textContent = other === "dark" ? "Dark" : "Light";
    toggle.setAttribute("aria-label", `Switch to ${other} theme`);
  };
  addEventListener("arxd-theme", label);
  label();
  return toggle;
}
