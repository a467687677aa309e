/* soak.mjs - see tests/soak-scale.sh. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { ROOT, freePort, sleep, startServer, temporaryFolder, until } from "../http/harness.mjs";
import { startPostgres } from "./postgres.mjs";

const seconds = Number(process.argv[2]);
const WRITERS = 8;
const READERS = 8;
const KILL_EVERY_MS = Math.min(60_000, (seconds * 1000) / 3);

const postgres = await startPostgres({ durable: true });
const db = `${postgres.url}/postgres`;
const start = (onPort) => startServer({ db, onPort, env: { ARXD_RATE: "read=0,write=0,encode=0", ARXD_TRUST_PROXY: "1" } });
const nodes = [await start(), await start()];

/* nginx as deploy/ has it, but for addresses. A node comes back where it was. */
const folder = temporaryFolder("nginx");
const port = await freePort();
const [one, two] = nodes.map((node) => node.port);
const text = fs.readFileSync(path.join(ROOT, "deploy/nginx.scale.conf"), "utf8")
  .replace("arxd-1:3000", `127.0.0.1:${one}`).replace("arxd-2:3000", `127.0.0.1:${two}`)
  .replace("listen 8080", `listen 127.0.0.1:${port}`)
  .replace("http {", `pid ${folder}/pid;\nerror_log ${folder}/error.log;\nhttp {\n${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}`);
fs.writeFileSync(path.join(folder, "nginx.conf"), text);
const nginx = spawn("nginx", ["-c", path.join(folder, "nginx.conf"), "-p", folder, "-g", "daemon off;"], { stdio: "inherit" });
const origin = `http://127.0.0.1:${port}`;
await until(() => fetch(`${origin}/health`).then(({ ok }) => ok, () => false), "nginx to pass on");

let on = true;
let lastKill = 0;
const made = [];
const seen = {}; // by status, writes and reads
const strange = [];
const count = (what, status, text) => {
  seen[what] ??= {};
  seen[what][status] = (seen[what][status] ?? 0) + 1;
  if (status >= 400 && !(status === 503 || (status === 502 && Date.now() - lastKill < 10_000))) strange.push(`${what}: ${status} ${text.slice(0, 100)}`);
};
async function ask(what, target, options) {
  try {
    const answer = await fetch(origin + target, options);
  const text = await answer.text();
    count(what, answer.status, text);
    return { status: answer.status, text };
  } catch (error) {
    strange.push(`${what}: ${error.cause?.code ?? error.message}`); // nginx itself must always answer
    await sleep(50);
    return { status: 0 };
  }
}
const writers = Array.from({ length: WRITERS }, async (_, worker) => {
  for (let i = 0; on; i++) {
    const payload = `p${worker}-${i}`;
    const { status, text } = await ask("POST", "/api/artifacts", { method: "POST", body: JSON.stringify({ payload }) });
    if (status === 201) made.push([JSON.parse(text).id, payload]);
  }
});
const readers = Array.from({ length: READERS }, async () => {
  while (on) {
    if (made.length === 0) await sleep(10);
    else {
      const [id, payload] = made[Math.floor(Math.random() * made.length)];
      const { status, text } = await ask("GET", `/api/artifacts/${id}`);
      if (status === 200 && JSON.parse(text).payload !== payload) strange.push(`GET: another payload for ${id}`);
      if (status === 404) strange.push(`GET: ${id} is lost`);
    }
  }
});

const begin = Date.now();
let kills = 0;
for (let next = KILL_EVERY_MS; next < seconds * 1000 - 2000; next += KILL_EVERY_MS) {
  await sleep(Math.max(0, begin + next - Date.now()));
  lastKill = Date.now();
  await nodes[kills % 2].kill();
  await sleep(1000);
  nodes[kills % 2] = await start(nodes[kills % 2].port);
  kills++;
  lastKill = Date.now();
}
await sleep(Math.max(0, begin + seconds * 1000 - Date.now()));
on = false;
await Promise.all([...writers, ...readers]);
let lost = 0;
for (const [id, payload] of made) {
  const answer = await fetch(`${nodes[0].origin}/api/artifacts/${id}`);
const text = await answer.text();
  lost += answer.status !== 200 || JSON.parse(text).payload !== payload;
}
console.log(`${seconds} s, ${kills} kills; ${made.length} links answered 201, ${lost} lost`);
for (const [what, statuses] of Object.entries(seen)) console.log(`${what}: ${Object.entries(statuses).map(([status, n]) => `${n} x ${status}`).join(", ")}`);
for (const line of [...new Set(strange)].slice(0, 20)) console.log(`unexpected: ${line}`);
nginx.kill("SIGTERM");
for (const node of nodes) await node.kill();
await postgres.stop();
process.exit(lost > 0 || strange.length > 0 || made.length === 0 ? 1 : 0);
