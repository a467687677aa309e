/* build.test.mjs - what build.mjs and embed.mjs make: names, variants, notices, sizes, the C table. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import zlib from "node:zlib";
import { build } from "../../static/viewer/build.mjs";
import { PAGE, ROOT } from "./serve.mjs";

const CORE = path.join(ROOT, "build/wasm/core.wasm");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "arxd-page-"));
after(() => fs.rmSync(scratch, { recursive: true, force: true }));

const manifest = JSON.parse(fs.readFileSync(path.join(PAGE, "manifest.json"), "utf8"));
const read = (name) => fs.readFileSync(path.join(PAGE, name));

test("every file is there as the manifest says, and its variants hold it", () => {
  assert.ok(manifest.files.length > 5);
  for (const { path: url, file, type, immutable, sizes } of manifest.files) {
    const bytes = read(file);
    assert.equal(bytes.length, sizes.identity, file);
    assert.match(type, /^(text\/(javascript|html|css|plain)|application\/(json|wasm|manifest\+json)|image\/|font\/)/);
    assert.equal(immutable, /^\/page\/.*-[A-Z0-9]{8}\.[a-z0-9.]+$/.test(url), url);
    if (sizes.br) {
      assert.equal(read(`${file}.br`).length, sizes.br);
      assert.ok(zlib.brotliDecompressSync(read(`${file}.br`)).equals(bytes), `${file}.br`);
    }
    if (sizes.gzip) {
      assert.equal(read(`${file}.gz`).length, sizes.gzip);
      assert.ok(zlib.gunzipSync(read(`${file}.gz`)).equals(bytes), `${file}.gz`);
    }
    if (/\.(mjs|js|wasm|css|html)$/.test(file) && bytes.length > 2000) assert.ok(sizes.br && sizes.gzip, `${file} is packed`);
  }
});

test("nothing on disk but what the manifest names", () => {
  const known = new Set(["manifest.json"]);
  for (const { file, sizes } of manifest.files)
    for (const name of [file, sizes.br && `${file}.br`, sizes.gzip && `${file}.gz`]) if (name) known.add(name);
  const found = fs.readdirSync(PAGE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(PAGE, path.join(entry.parentPath, entry.name)));
  assert.deepEqual(found.sort(), [...known].sort());
});

test("the core is small, and the worker one file that brings only it", () => {
  const core = manifest.files.find(({ path: url }) => /\/core-[A-Z0-9]+\.wasm$/.test(url));
  assert.ok(core.sizes.br < 90_000, `${core.sizes.br} bytes`);
  const worker = manifest.files.find(({ path: url }) => url === manifest.entries["codec/worker.mjs"]);
  assert.ok(worker.sizes.br < 8_000, `${worker.sizes.br} bytes`);
  const text = read(worker.file).toString();
  assert.doesNotMatch(text, /\bimport\s*["'{*]|\bfrom\s*["']/, "no import that would be fetched with it");
  assert.equal(text.match(/import\(/g).length, 3, "what is loaded later");
});

test("nothing asks for the network elsewhere or for eval", () => {
  for (const { file } of manifest.files) {
    if (!/\.m?js$/.test(file)) continue;
    const text = read(file).toString();
    assert.doesNotMatch(text, /\beval\(|new Function\(/, file);
    assert.doesNotMatch(text, /\bimport(Scripts)?\(\s*["'`]https?:/, file);
  }
});

test("notices name every package in the bundles", () => {
  const text = read("THIRD_PARTY_NOTICES.txt").toString();
  for (const name of ["brotli-dec-wasm", "brotli-wasm", "fflate", "pako", "wasi-libc"]) assert.match(text, new RegExp(`^${name} `, "m"));
  assert.match(text, /Permission is hereby granted/);
  assert.match(text, /Apache License/);
});

test("what draws and cleans foreign markup is past the holes that are known", () => {
  const text = read("THIRD_PARTY_NOTICES.txt").toString();
  // mermaid let labels of architecture and sequence diagrams run scripts before 11.10, DOMPurify templates before 3.2.4
  for (const [name, least] of [["mermaid", [11, 10, 0]], ["dompurify", [3, 2, 4]]]) {
    const version = new RegExp(`^${name} (\\d+)\\.(\\d+)\\.(\\d+) `, "m").exec(text).slice(1).map(Number);
    const differs = version.findIndex((number, i) => number !== least[i]);
    assert.ok(differs < 0 || version[differs] > least[differs], `${name} ${version.join(".")}`);
  }
});

test("the same sources give the same bytes", async () => {
  const again = path.join(scratch, "page");
  await build(again, CORE);
  const list = (folder) => fs.readdirSync(folder, { recursive: true }).sort();
  assert.deepEqual(list(again), list(PAGE));
  for (const name of list(again)) {
    const file = path.join(again, name);
    if (fs.statSync(file).isFile()) assert.ok(fs.readFileSync(file).equals(read(name)), name);
  }
});

test("embedded as C, the table holds the files in order", () => {
  const table = path.join(scratch, "page_files.c");
  const node = spawnSync(process.execPath, [path.join(ROOT, "static/viewer/embed.mjs"), "build/page", table], { cwd: ROOT, encoding: "utf8" });
  assert.equal(node.status, 0, node.stderr);
  const program = path.join(scratch, "list.c");
  fs.writeFileSync(
    program,
    `#include "page_files.h"
#include <stdio.h>
static unsigned long sum(page_bytes bytes) {
    unsigned long h = 5381;
    for (size_t i = 0; i < bytes.len; i++) h = (h * 33 + bytes.data[i]) & 0xffffffffUL;
    return h;
}
int main(void) {
    for (size_t i = 0; i < page_file_count; i++) {
        const page_file *f = &page_files[i];
        printf("%s\\t%s\\t%d\\t%lu\\t%lu\\t%lu\\n", f->path, f->content_type, f->immutable, sum(f->identity), sum(f->brotli), sum(f->gzip));
    }
}
`,
  );
  const binary = path.join(scratch, "list");
  const cc = spawnSync(process.env.CC ?? "cc", ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fPIE", "-pie", "-Istatic/viewer", program, table, "-o", binary], { cwd: ROOT, encoding: "utf8" });
  assert.equal(cc.status, 0, cc.stderr);
  const lines = spawnSync(binary, { encoding: "utf8" }).stdout.trimEnd().split("\n");
  const sum = (bytes) => bytes.reduce((h, byte) => (Math.imul(h, 33) + byte) >>> 0, 5381);
  const wanted = manifest.files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path: url, file, type, immutable, sizes }) =>
      [url, type, Number(immutable), sum(read(file)), sum(sizes.br ? read(`${file}.br`) : Buffer.alloc(0)), sum(sizes.gzip ? read(`${file}.gz`) : Buffer.alloc(0))].join("\t"),
    );
  assert.deepEqual(lines, wanted);
});
