/*
 * encodes.mjs - /encode by many clients: are the cores busy, is it fair, and what of everybody else?
 */
import http from "node:http";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ROOT, sleep, startServer } from "../../http/harness.mjs";
import { cpuSeconds, idleSeconds } from "./process.mjs";
import { median } from "./table.mjs";
import { wrk } from "./wrk.mjs";

const CLIENTS = 16;
const SIZE = 8192;

/** Reports of 8 KB, each another cut of the corpus. */
function reports() {
  const folder = path.join(ROOT, "tests/bench/corpus");
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md").sort();
  const text = names.map((name) => fs.readFileSync(path.join(folder, name), "utf8")).join("\n");
  return Array.from({ length: CLIENTS }, (_, i) => {
    const at = Math.floor(((text.length - SIZE) * i) / CLIENTS);
    const artifact = { kind: "markdown", title: `Report ${i}`, content: text.slice(at, at + SIZE) };
    return JSON.stringify({ artifact });
  });
}

function post(agent, port, body) {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const request = http.request({ agent, host: "127.0.0.1", port, method: "POST", path: "/encode", headers }, (answer) => {
      answer.resume();
      answer.once("end", () => {
        if (answer.statusCode === 200) resolve(Number(process.hrtime.bigint() - started) / 1e6);
        else reject(new Error(`/encode: ${answer.statusCode}`));
      });
    });
    request.once("error", reject);
    request.end(body);
  });
}

const health = (server, seconds) => wrk(`${server.origin}/health`, { seconds, connections: 1, script: "paced.lua" });

/** Gives rows of [what, value, wanted]. */
export async function measureEncodes({ rounds, seconds, env, note }) {
  const server = await startServer({ env });
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  const bodies = reports();
  for (const body of bodies) await post(agent, server.port, body); // models are primed

  const seen = { used: [], unused: [], median: [], unfair: [], rate: [], idle: [], loaded: [] };
  for (let round = 0; round < rounds; round++) {
    note(`encodes, round ${round + 1} of ${rounds}`);
    seen.idle.push((await health(server, seconds)).p99_ms);

    const times = [];
    let working = true;
    const clients = bodies.map(async (body) => {
      while (working) times.push(await post(agent, server.port, body));
    });
    await sleep(200);
    const before = { cpu: cpuSeconds(server.child.pid), idle: idleSeconds(), at: performance.now() };
    seen.loaded.push((await health(server, seconds)).p99_ms);
    const elapsed = (performance.now() - before.at) / 1000;
    const cpu = cpuSeconds(server.child.pid) - before.cpu;
    const idle = idleSeconds() - before.idle;
    working = false;
    await Promise.all(clients);

    seen.used.push(cpu / elapsed);
    seen.unused.push(idle / elapsed);
    seen.median.push(median(times));
    seen.unfair.push(Math.max(...times) / median(times));
    seen.rate.push(times.length / elapsed);
  }
  agent.destroy();
  await server.stop();
  const ratio = seen.loaded.map((loaded, i) => loaded / seen.idle[i]);
  return [
    [`/encode of 8 KB by ${CLIENTS}: a second`, median(seen.rate).toFixed(0), ""],
    ["  cores used by arxd", `${median(seen.used).toFixed(2)} of ${os.availableParallelism()}`, ""],
    ["  cores left idle", median(seen.unused).toFixed(2), "0"],
    ["  median", `${median(seen.median).toFixed(1)} ms`, ""],
    ["  slowest / median", median(seen.unfair).toFixed(2), "<= 2"],
    ["  /health p99 idle, beside it", `${median(seen.idle).toFixed(2)}, ${median(seen.loaded).toFixed(2)} ms`, ""],
    ["  /health p99 beside it / idle", median(ratio).toFixed(2), "<= 5"],
  ];
}
