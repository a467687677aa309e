/* Every curl line of README.md, run as it stands (but for the port) against a real server. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { ROOT, run, startServer } from "./harness.mjs";

const README = fs.readFileSync(path.join(ROOT, "README.md"), "utf8");
const WRITTEN_ORIGIN = "http://127.0.0.1:3000";

/** The commands of all ```sh blocks that use curl, in order. */
const commands = [...README.matchAll(/^```sh\n(.*?)^```$/gms)]
  .map(([, block]) => block)
  .filter((block) => block.includes("curl"))
  .flatMap((block) => block.replaceAll("\\\n", " ").trim().split("\n"));

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** Runs the first `count` commands in one shell; the output of the last. */
function runUpTo(count) {
  const mark = "----8<----";
  const script = [
    "set -eu",
    'curl() { command curl --fail-with-body --silent --show-error "$@"; }',
    ...commands.slice(0, count - 1).map((command) => (/^[A-Z]+=/.test(command) ? command : "")),
    `echo '${mark}'`,
    commands[count - 1],
  ].join("\n");
  const result = run("sh", ["-c", script.replaceAll(WRITTEN_ORIGIN, server.origin)]);
  return { ...result, output: result.stdout.split(`${mark}\n`)[1] };
}

commands.forEach((command, i) =>
  test(command.slice(0, 110), () => {
    const { code, stdout, stderr, output } = runUpTo(i + 1);
    assert.equal(code, 0, `${stderr}\n${stdout}`);
    if (!/^[A-Z]+=/.test(command)) assert.ok(output?.length > 0, "it answers something");
  }),
);

test("there is an example for every route", () => {
  const targets = commands.join("\n").replaceAll(WRITTEN_ORIGIN, "");
  for (const route of [
    "/encode ",
    "/decode ",
    "/api/artifacts ",
    "/api/artifacts/$ID",
    " /$ID\n",
    "/$ID/raw\n",
    "/$ID/raw/",
    "/arx-dictionary.json",
    "/arx2-dictionary.json",
    "/arx4-priors.json",
    "/assets/index.json",
    "/health",
    "/share?",
    "-X PUT",
    "-X DELETE",
    "/$ONCE/view",
    "/encode/jobs/$JOB",
    "/api/cleanup",
    "/openapi.json",
    "/oui/snapshot",
    "/oui/dispatch",
    "/llms.txt",
    "/SKILL.md",
  ])
    assert.ok(`${targets}\n`.includes(route), `no example for ${route}`);
  const calls = commands.filter((command) => /\bcurl\b/.test(command));
  assert.ok(calls.every((command) => command.includes(WRITTEN_ORIGIN)));
});
