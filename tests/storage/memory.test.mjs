/*
 * Memory runs out: at the k-th allocation of a request, for every k, whoever asks for it. The answer
 * is the usual one or a stated error, arxd lives, the same request works afterwards, and when arxd
 * has ended no more blocks are left than after a run in which nothing failed. See heap.c.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { test } from "node:test";
import { ROOT, run, startServer, temporaryFolder } from "../http/harness.mjs";

const REPORT = Array.from({ length: 60 }, (_, i) => `- item ${i}: ${(i * 7919) % 997} of ${i * i}`).join("\n");
const PAYLOAD = `p${"0123456789abcdef".repeat(40)}`;
const ENVELOPE = { v: 1, codec: "plain", title: "T", artifacts: [{ id: "a", kind: "markdown", title: "T", content: "# Hi\n" }] };

/** name: what is asked, given a link to ask about, and the status when nothing fails. */
const REQUESTS = {
  "POST of a payload": () => ["POST", "/api/artifacts", 201, { payload: PAYLOAD, ttl_seconds: 600 }],
  "POST of an envelope": () => ["POST", "/api/artifacts", 201, { envelope: ENVELOPE }],
  "POST with an Idempotency-Key": (_, i) => ["POST", "/api/artifacts", 201, { payload: "pe30" }, { "Idempotency-Key": `0123456789abcdef-${i}` }],
  "/share": () => ["POST", "/share?filename=a.md&ttl_seconds=600", 201, "# Hi\n", { Accept: "application/json" }],
  "GET of a row": ({ id }) => ["GET", `/api/artifacts/${id}`, 200],
  "GET of the page": ({ id }) => ["GET", `/${id}`, 200, undefined, { Accept: "text/html" }],
  "GET of the text": ({ id }) => ["GET", `/${id}/raw?download`, 200],
  "GET of the envelope": ({ id }) => ["GET", `/${id}`, 200, undefined, { Accept: "application/json" }],
  "PUT": ({ id, edit_key: key }) => ["PUT", `/api/artifacts/${id}`, 200, { envelope: ENVELOPE }, { Authorization: `Bearer ${key}` }],
  "an asset": () => ["GET", "/arx-dictionary.json", 200, undefined, { "Accept-Encoding": "br", "If-None-Match": '"x"' }],
  "/encode": () => ["POST", "/encode", 200, { artifact: { kind: "markdown", title: "T", content: REPORT } }],
  "/encode of a link": () => ["POST", "/encode", 200, { artifact: { kind: "json", content: "[1]" }, store: true, codec: "arx2" }],
  "/decode": () => ["POST", "/decode", 200, { fragment: "#peyJ2IjoxLCJjb2RlYyI6InBsYWluIiwiYXJ0aWZhY3RzIjpbeyJpZCI6ImEiLCJraW5kIjoibWFya2Rvd24iLCJjb250ZW50IjoiaGkifV19" }],
};

/** The shim, and the numbers it shares. */
function makeHeap() {
  const folder = temporaryFolder("heap");
  const library = path.join(folder, "heap.so");
  const flags = ["-std=c17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"];
  const { code, stderr } = run(process.env.CC || "cc", [...flags, path.join(ROOT, "tests/storage/heap.c"), "-o", library]);
  assert.equal(code, 0, stderr);
  const file = path.join(folder, "heap");
  fs.writeFileSync(file, Buffer.alloc(32));
  const fd = fs.openSync(file, "r+");
  const number = Buffer.alloc(8);
  const set = (offset, value) => {
    number.writeBigUInt64LE(BigInt(value));
    fs.writeSync(fd, number, 0, 8, offset);
  };
  const get = (offset) => {
    fs.readSync(fd, number, 0, 8, offset);
    return Number(number.readBigInt64LE());
  };
  return {
    env: { LD_PRELOAD: library, HEAP_FILE: file },
    failAt(k) {
      set(0, 0);
      set(16, 0);
      set(8, 0);
      set(0, k);
    },
    failed: () => get(16) > 0,
    live: () => get(24),
    remove: () => (fs.closeSync(fd), fs.rmSync(folder, { recursive: true })),
  };
}

/** Requests one after the other over one connection, which must not be lost unless told so. */
class Client {
  constructor(server) {
    this.server = server;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  }
  send(method, target, body, headers = {}) {
    const bytes = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const length = bytes === undefined ? {} : { "Content-Length": Buffer.byteLength(bytes) };
      const sent = http.request(
        { host: "127.0.0.1", port: this.server.port, agent: this.agent, method, path: target, headers: { ...length, ...headers } },
        (response) => {
          const pieces = [];
          response.on("data", (piece) => pieces.push(piece));
          response.once("error", reject);
          response.once("end", () => resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(pieces).toString() }));
        },
      );
      sent.once("error", reject);
      sent.end(bytes);
    });
  }
}

/** A failure that is stated: the API's JSON, a page, or the text that is left when nothing else is. */
function assertStated(answer, what) {
  assert.ok([500, 503].includes(answer.status), `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
  if (/^application\/json/.test(answer.headers["content-type"])) {
    const { error, code } = JSON.parse(answer.text);
    assert.ok(typeof error === "string" && /^[a-z-]+$/.test(code), what);
  } else assert.match(answer.text, /Internal server error|Server error|Busy|Failed to load artifact/, what);
}

/** Asks for everything, with the k-th allocation failing for every k or none; gives what was left. */
async function wholeRun(fails, t) {
  const heap = makeHeap();
  const server = await startServer({ args: ["--workers", "1", "--threads", "1"], env: heap.env });
  const client = new Client(server);
  const link = JSON.parse((await client.send("POST", "/api/artifacts", { envelope: ENVELOPE })).text);
  let serial = 0;
  for (const [name, ask] of Object.entries(REQUESTS)) {
    const once = async (k) => {
      const [method, target, status, body, headers] = ask(link, serial++);
      if (fails) heap.failAt(k);
      const answer = await client.send(method, target, body, headers).catch((error) => ({ error }));
      const failed = fails && heap.failed();
      heap.failAt(0);
      assert.ok(!server.how, `${name}, allocation ${k}: arxd ended: ${JSON.stringify(server.how)} ${server.output}`);
      assert.equal(answer.error, undefined, `${name}, allocation ${k}: no answer (${answer.error?.message})`);
      if (answer.status !== status) {
        assert.ok(failed, `${name}: ${answer.status} ${answer.text}`);
        assertStated(answer, `${name}, allocation ${k}`);
      } else if (/ttl_seconds/.test(target + JSON.stringify(body))) {
        const left = Date.parse(JSON.parse(answer.text).expires_at) - Date.now();
        assert.ok(left > 0 && left <= 600_000, `${name}, allocation ${k}: an option was lost`);
        const row = JSON.parse((await client.send("GET", `/api/artifacts/${JSON.parse(answer.text).id}`)).text);
        if (body?.payload) assert.equal(row.payload, body.payload, `${name}, allocation ${k}`);
      }
      return failed;
    };
    for (let i = 0; i < 3; i++) await once(0); // what is made once is made
    let k = 1;
    for (let missed = 0; fails && missed < 3; k++) {
      missed = (await once(k)) ? 0 : missed + 1;
      await once(0);
    }
    if (fails) t.diagnostic(`${name}: ${k - 4} allocations`);
  }
  const said = server.output.trimEnd().split("\n").filter(Boolean);
  for (const line of said) assert.match(line, /memory/, "what arxd says of it");
  assert.ok(said.length <= 20, `once a kind and minute:\n${server.output}`);
  server.output = "";
  client.agent.destroy();
  await server.stop();
  const left = heap.live();
  heap.remove();
  return left;
}

test("every allocation of every request may fail", { timeout: 500_000 }, async (t) => {
  const usual = await wholeRun(false, t);
  const left = await wholeRun(true, t);
  assert.ok(left <= usual, `${left - usual} blocks more are left at the end`);
});
