/*
 * build.mjs - builds what a browser gets: `node static/viewer/build.mjs OUT CORE.wasm`.
 *
 * In OUT, made anew:
 *   page/<name>-<hash>.<type>    bundles and WebAssembly; the name changes with the content
 *   *.html, icons and the like   under the names they are served by
 *   *.br, *.gz                   beside every file they make smaller
 *   THIRD_PARTY_NOTICES.txt      the licences of every package in the bundles
 *   manifest.json                {"files": [{"path", "type", "immutable", "sizes": {"identity",
 *                                "br", "gzip"}}], "entries": {source: path}}
 *
 * Sources, all under static/viewer:
 *   codec/worker.mjs             the codec's worker, built first: its URL goes into the others
 *   page/*.worker.mjs            other workers, likewise
 *   page/*.entry.css             style sheets
 *   page/*.entry.mjs             modules of the page; import() splits off what is loaded later
 *   page/*.entry.js              classic scripts, for what must run before the first paint
 *   page/*.html                  {{name.entry.css}} becomes that entry's URL, relative to the page's
 *                                <base>. Not hashed: index.html is "/", security.html "/security"
 *   page/static/*                copied as they are
 * Modules of the page import { workerUrl, built } from "arxd:build": the URL of the codec's worker, and
 * of workers and style sheets by the name of their source.
 *
 * The same sources and packages give the same bytes: nothing in here depends on time or place.
 */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import { writeNotices } from "./notices.mjs";

const VIEWER = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(VIEWER, "../..");
const PACKAGES = path.join(ROOT, "tests/node_modules");
const PAGE = path.join(VIEWER, "page");
const FILES = "page"; // folder of hashed files, and its URL

const { default: esbuild } = await import(path.join(PACKAGES, "esbuild/lib/main.js"));

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** What every bundle has in common. */
export function settings(coreWasm) {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    target: ["chrome109", "firefox115", "safari16.4"],
    charset: "utf8",
    legalComments: "none", // in THIRD_PARTY_NOTICES.txt, whole
    logLevel: "warning",
    nodePaths: [PACKAGES],
    alias: {
      "core.wasm": path.resolve(coreWasm),
      // the package says which file is for the web, but keeps it from being imported by name
      "brotli-wasm/web": path.join(PACKAGES, "brotli-wasm/pkg.web/brotli_wasm.js"),
      "brotli-wasm/web/bg.wasm": path.join(PACKAGES, "brotli-wasm/pkg.web/brotli_wasm_bg.wasm"),
    },
    loader: { ".wasm": "file", ".woff2": "file", ".svg": "file", ".png": "file" },
    outExtension: { ".js": ".mjs" },
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    sourcemap: "linked",
  };
}

/** Gives modules "arxd:build". */
const buildModule = (values) => ({
  name: "arxd:build",
  setup(build) {
    build.onResolve({ filter: /^arxd:build$/ }, ({ path: name }) => ({ path: name, namespace: "arxd" }));
    build.onLoad({ filter: /.*/, namespace: "arxd" }, () => ({
      contents: Object.entries(values)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join("\n"),
    }));
  },
});

/** Of a chunk, how many characters must be ours for its map to be worth sending. */
const OWN_CHARACTERS = 4000;

/**
 * Maps for what we wrote, so that the served code can be read as it was written, without the text of
 * packages; none for chunks that are hardly more than packages.
 */
function trimMaps(files) {
  for (const [name, bytes] of files) {
    if (!name.endsWith(".map")) continue;
    const map = JSON.parse(bytes.toString());
    const own = map.sources.map((source) => !source.includes("node_modules"));
    const ownLength = map.sourcesContent.reduce((sum, text, i) => sum + (own[i] ? (text?.length ?? 0) : 0), 0);
    if (ownLength > OWN_CHARACTERS) {
      map.sourcesContent = map.sourcesContent.map((content, i) => (own[i] ? content : null));
      files.set(name, Buffer.from(JSON.stringify(map)));
    } else {
      const script = name.slice(0, -".map".length);
      const text = files.get(script).toString();
      files.set(script, Buffer.from(text.replace(/\n?(\/\/|\/\*)# sourceMappingURL=[^\n]*\n?$/, "\n")));
      files.delete(name);
    }
  }
}

/** Bundles and adds what comes out; returns the URL of each entry by its source. */
async function bundle(entryPoints, options, files, inputs) {
  if (entryPoints.length === 0) return {};
  const outdir = path.join(ROOT, "out"); // only for names: nothing is written
  const { outputFiles, metafile } = await esbuild.build({ ...options, entryPoints, outdir });
  const made = new Map();
  for (const { path: file, contents } of outputFiles) made.set(path.relative(outdir, file), Buffer.from(contents));
  trimMaps(made);
  for (const [name, bytes] of made) files.set(`${FILES}/${name}`, bytes);
  for (const input of Object.keys(metafile.inputs)) inputs.add(input);
  const entries = {};
  for (const [name, output] of Object.entries(metafile.outputs))
    if (output.entryPoint)
      entries[path.relative(VIEWER, path.join(ROOT, output.entryPoint))] = `/${FILES}/${path.relative(outdir, path.join(ROOT, name))}`;
  return entries;
}

/** Sources under page/ whose names end like this. */
function pageSources(ending) {
  if (!fs.existsSync(PAGE)) return [];
  return fs.readdirSync(PAGE).filter((name) => name.endsWith(ending)).sort().map((name) => path.join(PAGE, name));
}

function addPages(files, entries) {
  for (const source of pageSources(".html")) {
    const text = fs.readFileSync(source, "utf8").replace(/\{\{([^{}]+)\}\}/g, (whole, name) => {
      const url = entries[`page/${name}`];
      if (!url) throw new Error(`${path.relative(ROOT, source)}: ${whole} names no entry`);
      return url.slice(1);
    });
    files.set(path.basename(source), Buffer.from(text));
  }
  const statics = path.join(PAGE, "static");
  if (fs.existsSync(statics))
    for (const name of fs.readdirSync(statics).sort()) files.set(name, fs.readFileSync(path.join(statics, name)));
}

/** Variants that are worth having: a tenth smaller at least. */
function variants(name, bytes) {
  const made = {};
  if (/\.(png|woff2|ico)$/.test(name) || bytes.length < 200) return made;
  const br = zlib.brotliCompressSync(bytes, {
    params: {
      [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
      [zlib.constants.BROTLI_PARAM_LGWIN]: 22,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const gzip = zlib.gzipSync(bytes, { level: 9 });
  if (br.length < bytes.length * 0.9) made.br = br;
  if (gzip.length < bytes.length * 0.9) made.gzip = gzip;
  return made;
}

/** Pages are served without their ending: index.html as "/", security.html as "/security". */
const urlOf = (name) => `/${name.replace(/^index\.html$/, "").replace(/\.html$/, "")}`;

function write(out, files, entries) {
  const manifest = { files: [], entries };
  fs.rmSync(out, { recursive: true, force: true });
  for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const type = TYPES[path.extname(name)];
    if (!type) throw new Error(`${name}: no type is known for this ending`);
    const target = path.join(out, name);
    const packed = variants(name, bytes);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, bytes);
    if (packed.br) fs.writeFileSync(`${target}.br`, packed.br);
    if (packed.gzip) fs.writeFileSync(`${target}.gz`, packed.gzip);
    manifest.files.push({
      path: urlOf(name),
      file: name,
      type,
      immutable: name.startsWith(`${FILES}/`),
      sizes: { identity: bytes.length, br: packed.br?.length, gzip: packed.gzip?.length },
    });
  }
  fs.writeFileSync(path.join(out, "manifest.json"), `${JSON.stringify(manifest, null, 1)}\n`);
}

export async function build(out, coreWasm) {
  const files = new Map();
  const inputs = new Set();
  const common = settings(coreWasm);
  const worker = path.join(VIEWER, "codec/worker.mjs");
  const entries = await bundle([worker], { ...common, format: "esm", splitting: true }, files, inputs);
  Object.assign(
    entries,
    await bundle(pageSources(".worker.mjs"), { ...common, format: "esm", splitting: true }, files, inputs),
    await bundle(pageSources(".entry.css"), common, files, inputs),
  );
  const built = Object.fromEntries(Object.entries(entries).map(([source, url]) => [path.basename(source), url]));
  const plugins = [buildModule({ workerUrl: entries["codec/worker.mjs"], built })];
  Object.assign(
    entries,
    await bundle(
      pageSources(".entry.mjs"),
      { ...common, plugins, format: "esm", splitting: true },
      files,
      inputs,
    ),
    await bundle(
      pageSources(".entry.js"),
      { ...common, plugins, format: "iife", outExtension: { ".js": ".js" } },
      files,
      inputs,
    ),
  );
  addPages(files, entries);
  files.set("THIRD_PARTY_NOTICES.txt", Buffer.from(writeNotices(ROOT, [...inputs])));
  write(out, files, entries);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, coreWasm] = process.argv.slice(2);
  if (!coreWasm) {
    console.error("usage: node static/viewer/build.mjs OUT CORE.wasm");
    process.exit(2);
  }
  await build(path.resolve(out), coreWasm);
}
