/* GET /metrics on its own listener: what it counts, that promtool takes it, that the dashboard fits. */
import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, expire, note, want } from "./calls.mjs";
import { ARXD, freePort, ROOT, run, startServer, until } from "./harness.mjs";

let server, metricsPort;
before(async () => {
  metricsPort = await freePort();
  server = await startServer({ args: ["--metrics-listen", `127.0.0.1:${metricsPort}`, "--trust-proxy", "1", "--rate", "0", "--rate", "read=0,write=0.1/s,encode=0,fail=0"] });
});
after(() => server.stop());

const scrape = async (options) => fetch(`http://127.0.0.1:${metricsPort}/metrics`, options);
const text = async () => (await scrape()).text();
/** { "name{labels}": number } */
const numbers = async () =>
  Object.fromEntries((await text()).split("\n").filter((line) => line && !line.startsWith("#")).map((line) => {
    const at = line.lastIndexOf(" ");
    return [line.slice(0, at), Number(line.slice(at + 1))];
  }));

let address = 0;
const elsewhere = () => ({ headers: { "X-Forwarded-For": `192.0.2.${++address}` } });

/** What `act` adds to each number, once that has settled. */
async function difference(act, done) {
  const first = await numbers();
  await act();
  let changes;
  await until(async () => {
    const now = await numbers();
    changes = Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== (first[name] ?? 0)).map(([name, value]) => [name, value - (first[name] ?? 0)]));
    return done(changes);
  }, `the numbers to change: ${JSON.stringify(changes)}`);
  return changes;
}

test("requests by route and status, with how long they took", async () => {
  const requests = (route, method, status) => `arxd_http_requests_total{route="${route}",method="${method}",status="${status}"}`;
  const made = await server.create({ envelope: note("x") });
  const changes = await difference(async () => {
    for (let i = 0; i < 3; i++) await want(200, server, "GET", `/api/artifacts/${made.id}`);
    await want(405, server, "PATCH", `/api/artifacts/${made.id}`);
    await want(404, server, "GET", "/no/such/path");
    await want(400, server, "POST", "/encode", { body: "{" });
  }, (seen) => seen[requests("/encode", "POST", 400)] === 1);
  assert.equal(changes[requests("/api/artifacts/:id", "GET", 200)], 3);
  assert.equal(changes[requests("/api/artifacts/:id", "GET", 405)], 1);
  assert.equal(changes[requests("other", "other", 404)], 1);
  const latency = 'arxd_http_request_duration_seconds_bucket{route="/api/artifacts/:id",method="GET",le="+Inf"}';
  assert.equal(changes[latency], 4);
  assert.equal(changes[latency.replace("_bucket", "_count").replace(',le="+Inf"', "")], 4);
  assert.ok(changes[latency.replace("_bucket", "_sum").replace(',le="+Inf"', "")] > 0);
  assert.ok(!(await text()).includes(made.id.slice(0, 8)), "nothing of a single link");
});

test("jobs by codec and outcome", async () => {
  const jobs = (kind, codec, outcome) => `arxd_jobs_total{kind="${kind}",codec="${codec}",outcome="${outcome}"}`;
  const changes = await difference(async () => {
    const { fragment, codec } = await want(200, server, "POST", "/encode", { json: { envelope: note("x"), codec: "deflate" } });
    assert.equal(codec, "deflate");
    await want(200, server, "POST", "/decode", { json: { fragment } });
    await want(422, server, "POST", "/decode", { json: { fragment: "zzz" } });
    await want(202, server, "POST", "/encode", { json: { envelope: note("x"), codec: "plain", async: true } });
  }, (seen) => seen[jobs("encode", "plain", "done")] === 1 && seen[jobs("decode", "none", "failed")] === 1);
  assert.equal(changes[jobs("encode", "deflate", "done")], 1);
  assert.equal(changes[jobs("decode", "deflate", "done")], 1);
  assert.ok(changes.arxd_worker_seconds_total > 0);
});

test("commits with their rows, sweeps with what they deleted", { skip: process.env.ARXD_TEST_POSTGRES && "PostgreSQL counts its own" }, async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => want(201, server, "POST", "/api/artifacts", { json: { payload: "pe30" }, ...elsewhere() })));
  for (const { id } of made) expire(server.db, id);
  const changes = await difference(
    () => Promise.all([want(200, server, "POST", "/api/cleanup", elsewhere()), want(201, server, "POST", "/api/artifacts", { json: { payload: "pe30" }, ...elsewhere() })]),
    (seen) => seen.arxd_swept_links_total === 8 && seen.arxd_store_commits_total >= 1,
  );
  assert.ok(changes.arxd_sweeps_total >= 1);
  assert.equal(changes.arxd_store_commit_rows_count, changes.arxd_store_commits_total);
  assert.ok(changes.arxd_store_commit_rows_sum >= 1);
  const now = await numbers();
  assert.ok(now.arxd_store_file_bytes >= 4096);
  assert.ok("arxd_store_log_bytes" in now && "arxd_store_queue" in now);
});

test("what was refused for asking too often", async () => {
  const one = elsewhere();
  const changes = await difference(async () => {
    await want(200, server, "POST", "/api/cleanup", one);
    await want(429, server, "POST", "/api/cleanup", one);
    await want(429, server, "POST", "/api/cleanup", one);
  }, (seen) => seen['arxd_http_requests_total{route="/api/cleanup",method="POST",status="429"}'] === 2);
  assert.equal(changes['arxd_rate_limited_total{bucket="write"}'], 2);
});

test("open connections", async () => {
  const connected = async () => (await numbers()).arxd_http_connections;
  const idle = await connected();
  const sockets = Array.from({ length: 5 }, () => net.connect(server.port, "127.0.0.1"));
  await until(async () => (await connected()) >= idle + 5, "five more");
  sockets.forEach((socket) => socket.destroy());
  await until(async () => (await connected()) <= idle, "as many as before");
});

test("promtool accepts it", async () => {
  const checked = run("promtool", ["check", "metrics"], { input: await text() });
  assert.deepEqual([checked.code, checked.stdout, checked.stderr], [0, "", ""]);
  const refused = run("promtool", ["check", "metrics"], { input: "arxd_x{ 1\n" });
  assert.notEqual(refused.code, 0, "which it does not do with everything");
});

test("every metric that the dashboard names exists", async () => {
  const dashboard = JSON.parse(fs.readFileSync(path.join(ROOT, "deploy/grafana/arxd.json"), "utf8"));
  const shown = await text();
  const names = new Set([...shown.matchAll(/^([a-z_]+)(?=[{ ])/gm)].map(([name]) => name));
  const used = new Set();
  for (const panel of dashboard.panels)
    for (const { expr } of panel.targets)
      for (const [name] of expr.matchAll(/\b(arxd|process)_[a-z_]+\b/g)) used.add(name);
  for (const [name] of JSON.stringify(dashboard.templating).matchAll(/\barxd_[a-z_]+\b/g)) used.add(name);
  assert.ok(used.size > 15, `${used.size}`);
  for (const name of used) assert.ok(names.has(name), name);
  // and nothing that is measured is left out of it
  const families = [...shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name);
  for (const name of families) assert.ok([...used].some((one) => one === name || one === `${name}_bucket`), `${name} is on the dashboard`);
  for (const [, value] of JSON.stringify(dashboard.panels).matchAll(/route=~?\\\\\\"([^\\]*)/g))
    for (const route of value.split("|")) assert.ok(shown.includes(`route="${route}"`) || fs.readFileSync(path.join(ROOT, "server/routes.c"), "utf8").includes(`{"${route}"`), route);
});

test("the listener serves nothing else, and the public one does not serve it", async () => {
  const head = await scrape({ method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal((await scrape({ method: "POST", body: "x" })).status, 405);
  for (const target of ["/", "/health", "/metrics/x", "/api/artifacts"])
    assert.equal((await fetch(`http://127.0.0.1:${metricsPort}${target}`)).status, 404, target);
  assert.equal((await call(server, "GET", "/metrics")).status, 404);
});

test("addresses that are none, and ports that are taken", async () => {
  for (const value of ["9100", ":9100", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "::1:9100", "[::1]", "[127.0.0.1]:9100", "example.org:9100", "127.0.0.1:91x"]) {
    const { code, stderr } = run(ARXD, ["--metrics-listen", value, "--port", "0"]);
    assert.equal(code, 2, value);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
    assert.ok(stderr.includes("--metrics-listen") && stderr.includes(value), stderr);
  }
  const taken = run(ARXD, ["--metrics-listen", `127.0.0.1:${metricsPort}`, "--port", "0", "--db", path.join(server.folder, "other.db"), "--log", "text:error"]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, new RegExp(`port ${metricsPort}`));
});
