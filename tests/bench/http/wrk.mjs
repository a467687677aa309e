/* wrk.mjs - runs wrk and reads what it found. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const UNITS = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** The value of a line "  50%  812.00us", in milliseconds. */
function percentile(output, which) {
  const [, value, unit] = new RegExp(`^\\s+${which}%\\s+([\\d.]+)(us|ms|s|m)$`, "m").exec(output);
  return Number(value) * UNITS[unit];
}

/**
 * Asks `url` for `seconds` over `connections`. script: a Lua file beside this one, args: what it is
 * given. Every answer must be 2xx. Gives { rate (requests a second), requests, p50_ms, p99_ms }.
 */
export async function wrk(url, { seconds, connections = 64, headers = {}, script, args = [] }) {
  const command = ["-t", "1", "-c", String(connections), "-d", `${seconds}s`, "--timeout", "30s", "--latency"];
  for (const [name, value] of Object.entries(headers)) command.push("-H", `${name}: ${value}`);
  if (script) command.push("-s", path.join(HERE, script));
  command.push(url, "--", ...args.map(String));

  const child = spawn("wrk", command, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (bytes) => (output += bytes));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  assert.equal(code, 0, `wrk ended with ${code}: ${output}`);
  assert.doesNotMatch(output, /Non-2xx|Socket errors/, `${url}:\n${output}`);
  return {
    rate: Number(/^Requests\/sec:\s+([\d.]+)$/m.exec(output)[1]),
    requests: Number(/^\s+(\d+) requests in /m.exec(output)[1]),
    p50_ms: percentile(output, 50),
    p99_ms: percentile(output, 99),
  };
}
