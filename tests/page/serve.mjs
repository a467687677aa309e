/*
 * serve.mjs - a small server for the page's tests, in the shape of arxd's routes.
 *
 *   /page/..., /<file>                 the built page; Accept-Encoding: br gets the .br file
 *   /sets/<name>/assets/...            asset sets: "test", "odd", "test+odd" and, where the reference
 *                                      set is at hand, "upstream", "upstream-no-priors", "test+upstream";
 *                                      the first named is the active one
 *   /vectors/<file>                    golden vectors
 *   /tests/page/..., /static/viewer/...  sources, under their own names: /tests/page/browser.html
 *   /probe.wasm                        the module of probe.c
 *
 * HTML and scripts carry the Content-Security-Policy they have in production.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const UPSTREAM = process.env.ARX_UPSTREAM_ASSETS || null;
export const PAGE = path.join(ROOT, "build/page");

const NAMES = ["arx-dictionary.json", "arx2-dictionary.json", "arx4-priors.json"];
const TYPES = { ".html": "text/html", ".json": "application/json", ".mjs": "text/javascript", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".txt": "text/plain", ".svg": "image/svg+xml" };
const CSP =
  "default-src 'self'; base-uri 'self'; object-src 'none'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
  "worker-src 'self' blob:; script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types arxd dompurify";

/** Files of a set, null for one it has not, and its id: SHA-256 over lengths and bytes. */
export function makeSet(files) {
  const hash = createHash("sha256");
  for (const bytes of files) {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes?.length ?? 0));
    hash.update(length);
    if (bytes) hash.update(bytes);
  }
  return { id: hash.digest("hex").slice(0, 16), files };
}

const fromFolder = (folder, without = []) =>
  makeSet(NAMES.map((name) => (without.includes(name) ? null : fs.readFileSync(path.join(folder, name)))));

/** Every set there is, by name. */
export function loadSets() {
  const odd = JSON.parse(fs.readFileSync(path.join(ROOT, "tests/vectors/codec/odd-assets.json"), "utf8")).assets;
  const sets = {
    test: fromFolder(path.join(ROOT, "tests/vectors/assets")),
    odd: makeSet([odd.dictionary, odd.overlay, odd.priors].map((value) => Buffer.from(JSON.stringify(value)))),
  };
  if (UPSTREAM) {
    sets.upstream = fromFolder(UPSTREAM);
    sets["upstream-no-priors"] = fromFolder(UPSTREAM, [NAMES[2]]);
  }
  return sets;
}

function fileOf(sets, pathname, log) {
  const parts = pathname.slice(1).split("/");
  if (parts.some((part) => part === "..")) return null;
  const under = (...folders) => path.join(ROOT, ...folders, ...parts.slice(1));
  switch (parts[0]) {
    case "sets": {
      log.push(parts.slice(3).join("/"));
      const named = decodeURIComponent(parts[1]).split("+").map((name) => sets[name]);
      if (named.includes(undefined) || parts[2] !== "assets") return null;
      if (parts[3] === "index.json")
        return Buffer.from(JSON.stringify({ active: named[0].id, sets: named.map(({ id }) => id) }));
      return named.find(({ id }) => id === parts[3])?.files[NAMES.indexOf(parts[4])] ?? null;
    }
    case "vectors":
      return under("tests/vectors/codec");
    case "tests":
    case "static":
      return path.join(ROOT, ...parts);
    case "probe.wasm":
      return path.join(ROOT, "build/wasm/probe.wasm");
    default:
      return path.join(PAGE, ...parts);
  }
}

/** @returns { origin, sets, requests, stop() }; requests: asset files asked for so far */
export async function serve() {
  const sets = loadSets();
  const requests = [];
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = fileOf(sets, pathname, requests);
    const headers = { "Content-Security-Policy": CSP, "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*" };
    headers["Content-Type"] = TYPES[path.extname(pathname)] ?? "application/octet-stream";
    if (pathname.startsWith("/page/")) headers["Cache-Control"] = "public, max-age=31536000, immutable";
    let bytes = typeof file === "string" ? null : file;
    if (typeof file === "string" && fs.existsSync(file) && fs.statSync(file).isFile()) {
      const packed = /\bbr\b/.test(request.headers["accept-encoding"] ?? "") && fs.existsSync(`${file}.br`);
      if (packed) headers["Content-Encoding"] = "br";
      bytes = fs.readFileSync(packed ? `${file}.br` : file);
    }
    response.writeHead(bytes ? 200 : 404, headers);
    response.end(bytes ?? "Not found");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    sets,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
