/*
 * listeners.mjs - what reads lose, and memory grows by, while many listen to /oui/events.
 */
import assert from "node:assert/strict";
import http from "node:http";
import { sleep, startServer } from "../../http/harness.mjs";
import { residentBytes } from "./process.mjs";
import { median } from "./table.mjs";
import { wrk } from "./wrk.mjs";

const LISTENERS = 500;

/** An open stream; destroy() ends it. */
function listen(port) {
  return new Promise((resolve, reject) => {
    const request = http.get({ agent: false, host: "127.0.0.1", port, path: "/oui/events" }, (answer) => {
      assert.equal(answer.statusCode, 200);
      answer.on("error", () => {}).resume();
      resolve(request);
    });
    request.on("error", reject);
  });
}

/** Gives rows of [what, value, wanted]. */
export async function measureListeners({ rounds, seconds, env, note }) {
  const server = await startServer({ args: ["--max-per-address", "0"], env });
  const { id } = await server.create("pe30");
  const reads = () => wrk(`${server.origin}/api/artifacts/${id}`, { seconds });
  const ratios = [];
  const grown = [];
  try {
    for (let round = 0; round < rounds; round++) {
      note(`listeners, round ${round + 1} of ${rounds}`);
      const alone = await reads();
      const before = residentBytes(server.child.pid);
      const streams = await Promise.all(Array.from({ length: LISTENERS }, () => listen(server.port)));
      const beside = await reads();
      grown.push(residentBytes(server.child.pid) - before);
      ratios.push(beside.rate / alone.rate);
      for (const stream of streams) stream.destroy();
      await sleep(500);
    }
  } finally {
    await server.stop();
  }
  return [
    [`reads with ${LISTENERS} listening, to reads without`, median(ratios).toFixed(2), ">= 0.90"],
    ["  and resident memory they take, at most", `${(Math.max(...grown) / (1 << 20)).toFixed(1)} MB`, "< 30.0 MB"],
  ];
}
