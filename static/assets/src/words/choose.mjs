/*
 * choose.mjs - the list of words beside this file, from what count.mjs printed.
 *
 *     node choose.mjs frequencies.tsv BYTES >words.txt
 *
 * The best words of four letters or more, as many as fit BYTES, without those that an artifact has
 * already; in the order of their letters, which compresses best.
 */
import fs from "node:fs";
import path from "node:path";

const LINE_CHARS = 100;
const NOT_WORDS = new Set(["david", "gmail"]); /* a badge service and a mail host */

const folder = path.join(import.meta.dirname, "..");
const artifacts = fs
  .readFileSync(path.join(folder, "list"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => fs.readFileSync(path.join(folder, line.replace(/^\+/, "").split("|")[0].trim()), "utf8"))
  .join("\n");
const known = new Set(artifacts.match(/[A-Za-z0-9_$]+(?:'(?:t|s|re|ve|ll|d|m)\b)?/g));

const [frequencies, bytes] = process.argv.slice(2);
const words = [];
let left = Number(bytes);
for (const line of fs.readFileSync(frequencies, "utf8").split("\n")) {
  const word = line.split("\t")[1];
  if (word === undefined || word.length < 4 || known.has(word) || NOT_WORDS.has(word)) continue;
  left -= word.length + 1;
  if (left < 0) break;
  words.push(word);
}

let line = "";
for (const word of words.sort()) {
  if (line.length + 1 + word.length > LINE_CHARS) {
    console.log(line);
    line = "";
  }
  line += line === "" ? word : ` ${word}`;
}
console.log(line);
