/* The arx tool as a person meets it: files in and out, exit codes, help, the manual. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { ARX, envelopeNamed, ROOT, run, temporaryFolder } from "../http/harness.mjs";
import { arx } from "./tool.mjs";

let folder;
before(() => {
  folder = temporaryFolder("tool");
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const write = (name, text) => {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
};

/** Runs arx, which must succeed without a word on stderr; its stdout. */
function ok(args, options) {
  const { code, stdout, stderr } = arx(args, options);
  assert.equal(stderr, "", args.join(" "));
  assert.equal(code, 0, args.join(" "));
  return stdout;
}

const FILES = [
  ["report.md", "# Report\n\nAll *well*, \u00e4\u{1f680}.\n", "markdown"],
  ["table.csv", 'a,b\n"x, y",2\r\n', "csv"],
  ["data.json", '{"a": [1, 2.50, "\\u0000"]}\n', "json"],
  ["change.patch", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "diff"],
  ["main.c", "int main(void) { return 0; }\n", "code"],
  ["no-extension", "just text", "markdown"],
];
for (const [name, text, kind] of FILES)
  test(`${name} goes in and comes out`, () => {
    const file = write(name, text);
    const fragment = ok(["encode", file]).trimEnd();
    assert.match(fragment, /^[pldabcef]/);
    assert.equal(ok(["decode", fragment]), text);
    assert.equal(ok(["decode", `https://example.org/x?y#${fragment}`]), text);
    assert.equal(ok(["decode"], { input: `#${fragment}\n` }), text);
    assert.equal(ok(["decode", write("fragment", `${fragment}\n`)]), text);
    const { envelope } = JSON.parse(ok(["decode", "--json", fragment]));
    assert.equal(envelope.artifacts[0].kind, kind);
    assert.equal(envelope.artifacts[0].filename, name);
    assert.equal(ok(["encode"], { input: text }).length > 5, true);
  });

test("tests/arx.sh", () => {
  const { code, stdout, stderr } = run("sh", ["tests/arx.sh", ARX]);
  assert.equal(code, 0, stdout + stderr);
});

test("the same file gives the same link", () => {
  const file = write("same.md", "# same\n".repeat(100));
  assert.equal(ok(["encode", file]), ok(["encode", file]));
});

test("--base-url, --json and --codec", () => {
  const file = write("a.md", "# a\n");
  const link = ok(["encode", "--base-url", "https://example.org/v/", "--codec", "plain", file]).trimEnd();
  assert.match(link, /^https:\/\/example\.org\/v\/#p[A-Za-z0-9_-]+$/);
  const result = JSON.parse(ok(["encode", "--json", "--title", "T [x]", "--base-url", "https://example.org/", file]));
  assert.ok(result.markdownLink.startsWith("[T \\[x\\]](https://example.org/#"), result.markdownLink);
  assert.equal(result.hash, `#${result.fragment}`);
});

test("an envelope file, and one artifact of a bundle", () => {
  const envelope = envelopeNamed("bundle-3");
  const file = write("bundle.json", JSON.stringify(envelope));
  const fragment = ok(["encode", file]).trimEnd();
  for (const { id, content } of envelope.artifacts)
    if (content !== undefined) assert.equal(ok(["decode", "--artifact", id, fragment]), content);
  const { code, stdout, stderr } = arx(["decode", "--artifact", "nope", fragment]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.ok(stderr.includes(envelope.artifacts[0].id), stderr);
});

test("inspect and assets", () => {
  const fragment = ok(["encode", write("i.md", "# inspect me\n")]).trimEnd();
  assert.match(ok(["inspect", fragment]), /arx5|arx2|deflate|plain/);
  assert.equal(typeof JSON.parse(ok(["inspect", "--json", fragment])), "object");
  const listed = JSON.parse(ok(["assets", "--json", "--assets", "tests/vectors/assets"]));
  assert.match(listed.active, /^[0-9a-f]{16}$/);
  assert.ok(ok(["assets", "--assets", "tests/vectors/assets"]).startsWith(listed.active));
});

test("input that cannot be: one line, exit 1, nothing on stdout", () => {
  for (const [args, options] of [
    [["encode", path.join(folder, "missing.md")]],
    [["encode", folder]],
    [["encode", write("blank.md", " \n")]],
    [["encode", write("binary.md", Buffer.from([0xff, 0xfe, 0x00]))]],
    [["encode", "--kind", "envelope", write("no.json", "{}")]],
    [["decode", "#zabc"]],
    [["decode", "pe30"]],
    [["decode"], { input: "" }],
    [["inspect", "fmB.AAAA"]],
    [["encode", "--assets", path.join(folder, "none"), write("x.md", "x")]],
    [["assets", "--assets", folder]],
  ]) {
    const { code, stdout, stderr } = arx(args, options);
    assert.equal(code, 1, `${args.join(" ")}: ${stderr}`);
    assert.equal(stdout, "");
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    assert.match(stderr, /^arx/);
  }
});

test("a wrong command line: exit 2, nothing on stdout", () => {
  const file = write("w.md", "x");
  for (const args of [
    [],
    ["nonsense"],
    ["--nonsense"],
    ["encode", "--nonsense"],
    ["encode", "--codec", "zip", file],
    ["encode", "--codec"],
    ["encode", "--prior", "q", file],
    ["encode", "--kind", "image", file],
    ["encode", "--target", "x", file],
    ["encode", "--base-url", "not a url", file],
    ["encode", file, file],
    ["encode", "--jsonl", file],
    ["decode", "p", "p"],
    ["decode", "--jsonl", "p"],
    ["decode", "--json", "--artifact", "a", "p"],
    ["assets", "extra"],
  ]) {
    const { code, stdout, stderr } = arx(args, { input: "" });
    assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
    assert.equal(stdout, "", args.join(" "));
    assert.ok(stderr.length > 0);
  }
});

test("--help and --version", () => {
  assert.match(ok(["--version"]), /^arx \d+\.\d+/);
  const overview = ok(["--help"]);
  for (const command of ["encode", "decode", "inspect", "assets"]) {
    assert.ok(overview.includes(command));
    const help = ok([command, "--help"]);
    assert.match(help, new RegExp(`^usage: arx ${command}`));
    for (const line of help.split("\n")) assert.ok(line.length <= 100, line);
  }
});

test("stdout that is closed is an error, not a crash", () => {
  const file = write("full.md", "x");
  const { code, signal } = run("sh", ["-c", `"$0" encode "$1" > /dev/full 2>/dev/null`, ARX, file]);
  assert.equal(signal, null);
  assert.equal(code, 1);
});

test("the manual has no complaints and knows every option", () => {
  const manual = path.join(ROOT, "codec/arx.1");
  const { code, stdout, stderr } = run("mandoc", ["-T", "lint", "-W", "warning", manual]);
  assert.equal(code, 0, stdout + stderr);
  const text = fs.readFileSync(manual, "utf8").replaceAll("\\-", "-");
  for (const command of ["encode", "decode", "inspect", "assets"])
    for (const [, name] of ok([command, "--help"]).matchAll(/^ {2}--([a-z-]+)/gm))
      assert.ok(new RegExp(`(Fl -|--)${name}\\b`).test(text), `--${name} of arx ${command}`);
});
