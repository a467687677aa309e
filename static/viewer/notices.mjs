/*
 * notices.mjs - THIRD_PARTY_NOTICES.txt: the licence of everything in the bundles that others wrote.
 *
 * A package without a licence file stops the build: its terms would not be met.
 */
import fs from "node:fs";
import path from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice|copyright)/i;

/** Linked into the core by the C compiler; these are the parts of it that ask for a notice. */
const C_LIBRARY = `wasi-libc (C library of the WebAssembly module)

Parts of it are musl.
Copyright (c) 2005-2019 Rich Felker, et al.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

/** The folder of the package a bundled file is from, or null for one of ours. */
function packageOf(file) {
  const at = file.lastIndexOf("node_modules/");
  if (at < 0) return null;
  const [scope, name] = file.slice(at + "node_modules/".length).split("/");
  return file.slice(0, at) + "node_modules/" + (scope.startsWith("@") ? `${scope}/${name}` : scope);
}

/** One package's section: name, version, where it is from, licence texts. */
function section(folder) {
  const about = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const names = fs.readdirSync(folder).filter((name) => LICENCE_FILE.test(name)).sort();
  const licence = typeof about.license === "string" ? about.license : about.license?.type;
  if (names.length === 0 && !licence) throw new Error(`${about.name} has no licence`);
  const texts = names.map((name) => fs.readFileSync(path.join(folder, name), "utf8").trim());
  if (texts.length === 0) texts.push(`Licensed under ${licence} by ${about.author?.name ?? about.author ?? "its authors"}.`);
  const home = about.homepage ?? about.repository?.url ?? about.repository ?? "";
  return [`${about.name} ${about.version} (${licence})`, home, "", ...texts.flatMap((text) => [text, ""])].join("\n");
}

/** @param {string[]} inputs files in the bundles, relative to `root` */
export function writeNotices(root, inputs) {
  const folders = new Set(inputs.map(packageOf).filter(Boolean));
  const sections = [...folders].sort().map((folder) => section(path.join(root, folder)));
  const rule = `\n${"=".repeat(80)}\n\n`;
  return ["arxd's page contains the following works of others.\n", ...sections, C_LIBRARY].join(rule).replace(/\r\n?/g, "\n");
}
