/*
 * docs/operating.md, walked from its first command to its last, with what each part promises looked
 * at. The commands run as they stand, but for where things are: paths of the system lie in a folder,
 * ports are free ones. systemd, which is process 1 or nothing, has a stand-in that does what the
 * installed unit says; whether arxd can live with what the unit forbids is units.test.mjs.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { cleanEnvironment, freePort, ROOT, temporaryFolder, until } from "../http/harness.mjs";

const SYSTEMCTL = `#!/bin/sh
# systemctl ACTION [arxd]: Environment, EnvironmentFile, ExecStart and ExecReload of the unit.
set -eu
unit=$WALK/units/arxd.service
value() { sed -n "s/^$1=//p" "$unit" | sed "$MOVES"; }
running() { [ -f "$WALK/pid" ] && kill -0 "$(cat "$WALK/pid")" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$(cat "$WALK/pid")/status"; }
start() {
    ! running || return 0
    mkdir -p "$WALK/state"
    file=$(value EnvironmentFile)
    {
        value Environment
        [ ! -f "\${file#-}" ] || cat "\${file#-}"
    } >"$WALK/variables"
    (
        set --
        while IFS= read -r line; do set -- "$@" "$line"; done <"$WALK/variables"
        exec env -i PATH="$PATH" PORT="$PORT" "$@" "$(value ExecStart)" >>"$WALK/journal" 2>&1
    ) &
    echo $! >"$WALK/pid"
}
stop() {
    ! running || kill -TERM "$(cat "$WALK/pid")"
    while running; do sleep 0.1; done
}
case $1 in
daemon-reload) [ -f "$unit" ] ;;
enable) grep -q '^WantedBy=' "$unit" && [ "$2" = --now ] && start ;;
start) start ;;
stop) stop ;;
restart) stop && start ;;
reload) MAINPID=$(cat "$WALK/pid") && export MAINPID && sh -c "$(value ExecReload)" ;;
*) echo "systemctl $1: not in the walk" >&2 && exit 1 ;;
esac
`;

/** [[heading, [block, ...]], ...] of a document. */
const sections = fs.readFileSync(path.join(ROOT, "docs/operating.md"), "utf8").split(/^## /m).slice(1)
  .map((text) => [text.slice(0, text.indexOf("\n")), [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block)]);

let walk, port, metricsPort, origin, shell;
const inside = (name) => path.join(walk, name);
const PLACES = Object.entries({ "/usr/local/bin": "bin", "/etc/systemd/system": "units", "/etc/arxd": "config", "/var/lib/arxd": "state", "/root/": "root/" });
const moved = (text) =>
  PLACES.reduce((changed, [from, to]) => changed.replaceAll(from, inside(to)), text)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`).replaceAll("127.0.0.1:9100", `127.0.0.1:${metricsPort}`);

/** A block in the one shell that all of them share; what it printed. */
let count = 0;
async function type(block) {
  const mark = `--8<-- ${++count}`;
  shell.said = "";
  shell.stdin.write(`${moved(block)}echo '${mark}'\n`);
  await until(() => shell.said.includes(`${mark}\n`) || shell.ended, `the end of: ${block}\nwhich said: ${shell.said}`, 120_000);
  assert.ok(!shell.ended, `a command failed: ${shell.said}\n${fs.existsSync(inside("journal")) ? fs.readFileSync(inside("journal")) : ""}`);
  return shell.said.slice(0, shell.said.indexOf(mark));
}

before(async () => {
  walk = temporaryFolder("walk");
  [port, metricsPort] = [await freePort(), await freePort()];
  origin = `http://127.0.0.1:${port}`;
  for (const name of ["bin", "units", "root", "tools"]) fs.mkdirSync(inside(name));
  fs.writeFileSync(inside("tools/systemctl"), SYSTEMCTL, { mode: 0o755 });
  const PATH = [inside("tools"), inside("bin"), process.env.PATH].join(":");
  shell = spawn("sh", ["-eu"], { cwd: ROOT, env: { ...cleanEnvironment(), PATH, PORT: String(port), WALK: walk, MOVES: PLACES.map(([from, to]) => `s,${from},${inside(to)},g`).join(";") }, stdio: "pipe" });
  shell.said = "";
  for (const out of [shell.stdout, shell.stderr]) out.on("data", (bytes) => (shell.said += bytes));
  shell.once("close", () => (shell.ended = true));
});
after(async () => {
  shell.stdin.end("systemctl stop\n");
  await until(() => shell.ended, "the shell to end", 60_000);
  fs.rmSync(walk, { recursive: true, force: true });
});

const token = (name) => fs.readFileSync(inside(`root/${name}.token`), "utf8").split("\n")[0];
async function make(key, content = "# x\n") {
  const answer = await fetch(`${origin}/share`, { method: "POST", body: content, headers: { Accept: "application/json", ...(key && { Authorization: `Bearer ${key}` }) } });
  return { status: answer.status, ...(await answer.json()) };
}
const status = async (link) => {
  const answer = await fetch(`${origin}/${link.id}/raw`);
  await answer.arrayBuffer();
  return answer.status;
};

const links = {};
/** What each part promises; `said` is what its blocks printed. */
const PROMISES = {
  "A service": async ([, said]) => {
    assert.match(said, /^https:\/\/arxd\.example\.org\/[\w-]{22}\n$/);
    assert.equal(await (await fetch(`${origin}/${said.trim().split("/").at(-1)}/raw`)).text(), "# It works\n");
    assert.equal((await make()).status, 401, "nobody makes links without a token");
    assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status, 200);
    assert.equal(fs.statSync(inside("root/ci.token")).mode & 0o077, 0, "the token is root's alone");
    assert.ok(!fs.readFileSync(inside("config/tokens"), "utf8").includes(token("ci")), "the server has its hash alone");
    links.old = await make(token("ci"));
    assert.equal(links.old.status, 201);
  },
  "More tokens": async () => {
    await until(async () => (await make(token("reports"))).status === 201, "the new token to count");
    assert.equal((await make(token("ci"))).status, 201);
  },
  Backups: async ([said]) => {
    assert.match(said, /^day-\d{8}\.db$/m);
    assert.match(said, /the database is sound$/m);
    assert.match(said, /^links \d+$/m);
    const { edit_key } = links.old;
    assert.equal((await fetch(`${origin}/api/artifacts/${links.old.id}`, { method: "DELETE", headers: { Authorization: `Bearer ${edit_key}` } })).status, 200);
    links.lost = await make(token("ci"));
  },
  Restore: async ([said]) => {
    const [, kept] = /^what was there is kept as (.*)$/m.exec(said);
    assert.ok(fs.existsSync(kept));
    assert.deepEqual([await status(links.old), await status(links.lost)], [200, 404]);
    links.kept = await make(token("ci"));
  },
  Upgrade: async ([said]) => {
    assert.match(said, /the database is sound$/m);
    assert.deepEqual([await status(links.old), await status(links.kept)], [200, 200]);
    assert.ok(fs.readdirSync(inside("state/backups")).some((name) => name.startsWith("start-")), "of each start there is one");
    links.since = await make(token("ci"));
  },
  "The way back": async () => {
    assert.deepEqual([await status(links.old), await status(links.kept), await status(links.since)], [200, 200, 404]);
    assert.ok(!fs.existsSync(inside("bin/arxd.before")));
    assert.ok(!/ error /.test(fs.readFileSync(inside("journal"), "utf8")), fs.readFileSync(inside("journal"), "utf8"));
  },
};

for (const [heading, blocks] of sections)
  test(heading, async () => {
    const said = [];
    for (const block of blocks) said.push(await type(block));
    await PROMISES[heading](said);
  });
test("every part is looked at", () => assert.deepEqual(sections.map(([heading]) => heading), Object.keys(PROMISES)));
