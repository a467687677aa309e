/*
 * embed.mjs - writes the built page as C: `node static/viewer/embed.mjs PAGE OUT.c`.
 *
 * The table of page_files.h. Bytes are taken in by the assembler (.incbin), from PAGE as it is named
 * here: relative to the folder the compiler runs in. Megabytes of array initialisers would cost it
 * half a minute. PAGE/manifest.json is written last and stands for all of PAGE in make's eyes.
 */
import fs from "node:fs";
import path from "node:path";

const [page, out] = process.argv.slice(2);
if (!out) {
  console.error("usage: node static/viewer/embed.mjs PAGE OUT.c");
  process.exit(2);
}
const manifest = JSON.parse(fs.readFileSync(path.join(page, "manifest.json"), "utf8"));
const files = manifest.files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
const quote = (text) => JSON.stringify(text); // our own names: ASCII

const blobs = [];
/** Declares a blob; returns its initialiser. */
function blob(label, file, size) {
  if (size === undefined) return "{NULL, 0}";
  blobs.push(`BLOB(${label}, ${quote(file)})\nextern const uint8_t ${label}[];`);
  return `{${label}, ${size}}`;
}

const rows = files.map(({ path: url, file, type, immutable, sizes }, i) => {
  const name = path.join(page, file);
  return `    {${quote(url)}, ${quote(type)}, ${immutable},
     ${blob(`page_blob_${i}`, name, sizes.identity)},
     ${blob(`page_blob_${i}_br`, `${name}.br`, sizes.br)},
     ${blob(`page_blob_${i}_gz`, `${name}.gz`, sizes.gzip)}},`;
});

const text = `/* Made by embed.mjs from ${page}. */
#include "page_files.h"

#define BLOB(label, file)                                                                          \\
    __asm__(".pushsection .rodata\\n.balign 16\\n.globl " #label "\\n.hidden " #label "\\n" #label      \\
            ":\\n.incbin \\"" file "\\"\\n.byte 0\\n.popsection\\n");

${blobs.join("\n")}

const page_file page_files[] = {
${rows.join("\n")}
};
const size_t page_file_count = ${rows.length};
`;
fs.mkdirSync(path.dirname(out), { recursive: true });
fs.writeFileSync(out, text);
