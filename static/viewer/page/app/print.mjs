/* print.mjs - the artifact alone on paper. The style sheet does it; a flag says that it is the artifact's print. */
const root = document.documentElement;

export function printArtifact() {
  root.classList.add("printing");
  addEventListener("afterprint", () => root.classList.remove("printing"), { once: true });
  print();
}
