/* tool.mjs - running the arx tool, alone and line by line. */
import assert from "node:assert/strict";
import { ARX, run } from "../http/harness.mjs";

/** Runs arx; args, then { input }. */
export const arx = (args, options = {}) => run(ARX, args, options);

/** One request object a line through `arx COMMAND --jsonl ARGS`; the answers, parsed. */
export function lines(command, requests, args = []) {
  const input = requests.map((request) => `${typeof request === "string" ? request : JSON.stringify(request)}\n`).join("");
  const { code, signal, stdout, stderr } = arx([command, "--jsonl", ...args], { input, timeout: 500_000 });
  assert.equal(signal, null, stderr);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  assert.ok(stdout.endsWith("\n"));
  const answers = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(answers.length, requests.length, "one line in, one line out");
  return answers;
}
