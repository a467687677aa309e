/*
 * harness.mjs - starts the real daemon for a test and watches how it ends.
 *
 * startServer() runs $ARXD (default build/release/arxd) on a free loopback port with a database in a
 * folder of its own under $ARXD_TEST_TMP (default build/test-tmp). Its stdout and stderr must stay empty: it runs at log level
 * error. stop() asks it to end and demands exit code 0, empty output and a database without a -wal.
 *
 * Three ways to talk to it: fetch() for what a browser or client would do, request() where the path
 * or headers must go out as they are, raw() where the bytes themselves are the test.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { databaseIn, POSTGRES } from "./database.mjs";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const ARXD = path.resolve(ROOT, process.env.ARXD ?? "build/release/arxd");
export const ARX = path.resolve(ROOT, process.env.ARX ?? "build/release/arx");
export const IS_SANITIZED = (process.env.TEST_MODE ?? "release") !== "release";
export const REFERENCE_ASSETS = process.env.ARX_UPSTREAM_ASSETS || null;

const TMP = process.env.ARXD_TEST_TMP ?? path.join(ROOT, "build/test-tmp");
// How long is too long, also for a sanitizer on a busy machine.
const WAIT_MS = 30_000;
const START_MS = 60_000;
const STOP_MS = 60_000;

/** Waits until `probe` (may be async) gives a truthy value, and returns it. */
export async function until(probe, what, timeoutMs = WAIT_MS) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`gave up after ${timeoutMs} ms waiting for ${what}`);
    await sleep(15);
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A loopback port nobody listens on at the moment. */
export async function freePort() {
  const probe = net.createServer();
  await new Promise((resolve, reject) => probe.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A new empty folder for a test. */
export function temporaryFolder(name) {
  fs.mkdirSync(TMP, { recursive: true });
  return fs.mkdtempSync(path.join(TMP, `${name}-`));
}

/** The environment a daemon under test gets: nothing of ours that would configure it. */
export function cleanEnvironment(extra = {}) {
  const env = {};
  for (const name of ["PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"])
    if (process.env[name] !== undefined) env[name] = process.env[name];
  return { ...env, ...extra };
}

/** Runs a program to its end. */
export function run(file, args = [], options = {}) {
  const { env, ...rest } = options;
  const result = spawnSync(file, args, {
    encoding: "utf8",
    maxBuffer: 256 << 20,
    timeout: 120_000,
    env: cleanEnvironment(env),
    cwd: ROOT,
    ...rest,
  });
  if (result.error) throw result.error;
  return { code: result.status, signal: result.signal, stdout: result.stdout, stderr: result.stderr };
}

class Server {
  constructor(child, port, folder, db) {
    this.child = child;
    this.port = port;
    this.folder = folder;
    this.db = db;
    this.origin = `http://127.0.0.1:${port}`;
    this.output = "";
    child.stdout.on("data", (bytes) => (this.output += bytes));
    child.stderr.on("data", (bytes) => (this.output += bytes));
    this.ended = new Promise((resolve) =>
      child.once("close", (code, signal) => resolve({ code, signal })),
    );
    this.ended.then((how) => (this.how = how));
  }

  /** fetch() of a path, following nothing. */
  fetch(target, options = {}) {
    return fetch(this.origin + target, { redirect: "manual", ...options });
  }

  /** GET, parsed as JSON; the status must be as given. */
  async getJson(target, status = 200, options = {}) {
    const response = await this.fetch(target, options);
    const text = await response.text();
    assert.equal(response.status, status, `GET ${target}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  }

  /** POST of a JSON value (or of a string or bytes as they are); gives { status, headers, body }. */
  async post(target, value, headers = {}) {
    const asIs = typeof value === "string" || ArrayBuffer.isView(value);
    const response = await this.fetch(target, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: asIs ? value : JSON.stringify(value),
    });
    const text = await response.text();
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      body = text;
    }
    return { status: response.status, headers: response.headers, body, text };
  }

  /** Makes a short link of a ready payload, or of { envelope … }; gives the 201's body. */
  async create(input) {
    const made = await this.post("/api/artifacts", typeof input === "string" ? { payload: input } : input);
    assert.equal(made.status, 201, made.text);
    return made.body;
  }

  /** One request over a connection of its own, path and headers untouched. */
  request(method, target, { headers = {}, body, host = true } = {}) {
    return new Promise((resolve, reject) => {
      const sent = http.request(
        {
          host: "127.0.0.1",
          port: this.port,
          method,
          path: target,
          agent: false,
          setHost: host,
          headers,
        },
        (response) => {
          const pieces = [];
          response.on("data", (piece) => pieces.push(piece));
          response.once("error", reject);
          response.once("end", () => {
            const bytes = Buffer.concat(pieces);
            resolve({
              status: response.statusCode,
              headers: response.headers,
              rawHeaders: response.rawHeaders,
              bytes,
              text: bytes.toString("utf8"),
            });
          });
        },
      );
      sent.once("error", reject);
      sent.end(body);
    });
  }

  /** Sends bytes, collects what comes back until the server closes or stays silent for `quietMs`. */
  raw(bytes, { quietMs = 700, halfClose = false } = {}) {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.port, "127.0.0.1");
      const pieces = [];
      let timer;
      const finish = (closed) => {
        clearTimeout(timer);
        socket.destroy();
        const all = Buffer.concat(pieces);
        resolve({ closed, bytes: all, text: all.toString("latin1") });
      };
      const restart = () => {
        clearTimeout(timer);
        timer = setTimeout(() => finish(false), quietMs);
      };
      socket.on("data", (piece) => {
        pieces.push(piece);
        restart();
      });
      socket.once("end", () => finish(true));
      socket.once("error", (error) => {
        if (error.code === "ECONNRESET" || error.code === "EPIPE") finish(true);
        else reject(error);
      });
      socket.once("connect", () => {
        socket.write(bytes);
        if (halfClose) socket.end();
        restart();
      });
    });
  }

  /** Ends the daemon with SIGTERM; it must have gone in order. Removes its folder. */
  async stop({ code = 0, keep = false } = {}) {
    this.child.kill("SIGTERM");
    await this.waitForEnd();
    assert.deepEqual(this.how, { code, signal: null }, `how arxd ended; it said: ${this.output}`);
    assert.equal(this.output, "", "arxd wrote to stdout or stderr");
    if (!POSTGRES) assert.ok(!fs.existsSync(`${this.db}-wal`), "a -wal file was left behind");
    if (!keep) fs.rmSync(this.folder, { recursive: true, force: true });
  }

  /** Ends it with SIGKILL, as a power cut would. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.waitForEnd();
  }

  async waitForEnd() {
    const late = setTimeout(() => this.child.kill("SIGKILL"), STOP_MS);
    await this.ended;
    clearTimeout(late);
  }
}

/*
 * A test that failed before it stopped its server must not keep this process waiting for it: the
 * child holds nothing open, and whatever still runs at the end is ended then.
 */
const children = new Set();
function letGo(child) {
  children.add(child);
  child.once("close", () => children.delete(child));
  child.unref();
  child.stdout.unref();
  child.stderr.unref();
}
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/**
 * Starts arxd. args: more flags; env: variables; folder: an existing one to keep a database; db:
 * another server's; onPort: where one was before; program: what starts it, given its arguments.
 * Gives it when it answers /health.
 */
export async function startServer({ args = [], env = {}, folder = temporaryFolder("arxd"), db = databaseIn(folder), onPort, program = ARXD } = {}) {
  for (let attempt = 1; ; attempt++) {
    const port = onPort ?? (await freePort());
    const child = spawn(
      program,
      ["--host", "127.0.0.1", "--port", String(port), "--db", db, "--log", "text:error", "--rate", "0", ...args],
      { cwd: folder, env: cleanEnvironment(env), stdio: ["ignore", "pipe", "pipe"] },
    );
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    const server = new Server(child, port, folder, db);
    letGo(child);
    try {
      await until(
        async () => {
          if (server.how) throw new Error(`arxd ended at its start: ${server.output}`);
          const answer = await fetch(`${server.origin}/health`).catch(() => null);
          await answer?.arrayBuffer();
          return answer?.status === 200;
        },
        "arxd to answer /health",
        START_MS,
      );
      return server;
    } catch (error) {
      await server.kill();
      const portWasTaken = /in use/i.test(server.output);
      if (!portWasTaken || attempt === 3) throw error;
    }
  }
}

/** Splits what raw() got into responses: [{ status, headers, body }]. Knows Content-Length only. */
export function parseResponses(bytes, { heads = [] } = {}) {
  const responses = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) break;
    const [statusLine, ...lines] = bytes.toString("latin1", at, end).split("\r\n");
    const headers = {};
    for (const line of lines) {
      const [name, ...value] = line.split(":");
      const key = name.toLowerCase();
      headers[key] = key in headers ? `${headers[key]}, ${value.join(":").trim()}` : value.join(":").trim();
    }
    const status = Number(statusLine.split(" ")[1]);
    const bodyless = status < 200 || status === 204 || status === 304 || heads.includes(responses.length);
    const length = bodyless ? 0 : Number(headers["content-length"] ?? 0);
    responses.push({ status, headers, body: bytes.toString("utf8", end + 4, end + 4 + length) });
    at = end + 4 + length;
  }
  return responses;
}

/** The error answer of the API: this status, text and code, as JSON. */
export function assertError(answer, status, error, code) {
  assert.equal(answer.status, status, answer.text);
  const body = typeof answer.body === "object" ? answer.body : JSON.parse(answer.text);
  assert.equal(body.error, error);
  assert.equal(typeof body.code, "string", "errors carry a code");
  assert.match(body.code, /^[a-z]+(-[a-z]+)*$/);
  if (code !== undefined) assert.equal(body.code, code);
}

/** What the page was built into: build/page/manifest.json. */
export function pageManifest() {
  return JSON.parse(fs.readFileSync(path.join(ROOT, "build/page/manifest.json"), "utf8"));
}

/** Reads tests/vectors/codec/NAME. */
export function vectors(name) {
  return JSON.parse(fs.readFileSync(path.join(ROOT, "tests/vectors/codec", name), "utf8"));
}

/** A fresh copy of a named envelope of envelopes.json. */
export function envelopeNamed(name) {
  const found = allEnvelopes().find((row) => row.name === name);
  assert.ok(found, `no envelope named ${name}`);
  return structuredClone(found.envelope);
}

let cachedEnvelopes;
export function allEnvelopes() {
  cachedEnvelopes ??= vectors("envelopes.json").envelopes;
  return cachedEnvelopes;
}
