/* Which path answers which method, with which headers; and paths that try to be clever. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertError, startServer } from "./harness.mjs";

const UNKNOWN_ID = "3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab";
let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test("health", async () => {
  const answer = await server.request("GET", "/health");
  assert.equal(answer.status, 200);
  assert.equal(answer.text, '{"status":"ok"}');
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
});

test("HEAD answers with GET's headers and no body", async () => {
  const { id } = await server.create("pe30");
  const targets = ["/health", `/api/artifacts/${id}`, `/${id}`, "/arx-dictionary.json", "/assets/index.json"];
  for (const target of [...targets, "/nope", `/api/artifacts/${UNKNOWN_ID}`, `/${UNKNOWN_ID}`]) {
    const get = await server.request("GET", target);
    const head = await server.request("HEAD", target);
    assert.equal(head.status, get.status, target);
    assert.equal(head.bytes.length, 0, target);
    for (const name of ["content-length", "content-type", "etag", "vary", "cache-control"])
      assert.equal(head.headers[name], get.headers[name], `${name} of ${target}`);
    assert.equal(get.headers["content-length"], String(get.bytes.length), target);
  }
});

test("Content-Length is sent once", async () => {
  for (const target of ["/health", "/arx-dictionary.json", "/nope"]) {
    const { rawHeaders } = await server.request("GET", target);
    const lengths = rawHeaders.filter((name, i) => i % 2 === 0 && /^content-length$/i.test(name));
    assert.equal(lengths.length, 1, target);
  }
});

test("OPTIONS of the API's routes", async () => {
  for (const [target, method] of [
    ["/api/artifacts", "POST"],
    [`/api/artifacts/${UNKNOWN_ID}`, "GET"],
    ["/encode", "POST"],
    ["/decode", "POST"],
  ]) {
    const answer = await server.request("OPTIONS", target, { headers: { Origin: "https://example.org" } });
    assert.equal(answer.status, 204, target);
    assert.equal(answer.bytes.length, 0);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.ok(answer.headers["access-control-allow-methods"].split(/, */).includes(method), target);
    const allowed = answer.headers["access-control-allow-headers"].toLowerCase().split(/, */);
    for (const name of ["content-type", "authorization", "idempotency-key", "prefer"])
      assert.ok(allowed.includes(name), `${name} on ${target}`);
  }
});

test("CORS headers are on every answer of the API, and on no other", async () => {
  const cors = "access-control-allow-origin";
  for (const [method, target, options] of [
    ["POST", "/api/artifacts", { body: '{"payload":"pe30"}' }],
    ["POST", "/api/artifacts", { body: "{" }],
    ["GET", `/api/artifacts/${UNKNOWN_ID}`],
    ["GET", "/api/nothing"],
    ["PATCH", "/api/artifacts"],
    ["POST", "/encode", { body: "[]" }],
    ["POST", "/decode", { body: "[]" }],
  ]) {
    const answer = await server.request(method, target, options);
    assert.equal(answer.headers[cors], "*", `${method} ${target}`);
  }
  for (const target of ["/health", "/nope", `/${UNKNOWN_ID}`])
    assert.equal((await server.request("GET", target)).headers[cors], undefined, target);
});

test("every answer carries the security headers", async () => {
  const { id } = await server.create("pe30");
  const targets = ["/health", "/nope", "/api/nope", `/${id}`, `/${UNKNOWN_ID}`, `/${id}/raw`];
  for (const target of [...targets, `/api/artifacts/${id}`, "/arx-dictionary.json", "/%00", "/assets/index.json"]) {
    const { headers } = await server.request("GET", target);
    assert.equal(headers["x-content-type-options"], "nosniff", target);
    assert.equal(headers["referrer-policy"], "no-referrer", target);
    assert.equal(headers["x-frame-options"], "SAMEORIGIN", target);
  }
});

test("unknown paths: text, and JSON under /api", async () => {
  const text = await server.request("GET", "/nope");
  assert.equal(text.status, 404);
  assert.equal(text.text, "Not found");
  assert.match(text.headers["content-type"], /^text\/plain/);
  for (const target of ["/api", "/api/nope", "/api/artifacts/x/y"]) {
    const json = await server.request("GET", target);
    assert.equal(json.status, 404, target);
    assert.match(json.headers["content-type"], /^application\/json/, target);
    assert.equal(typeof JSON.parse(json.text).error, "string");
    assert.equal(typeof JSON.parse(json.text).code, "string");
  }
});

test("known path, other method: 405 and Allow", async () => {
  const { id } = await server.create("pe30");
  for (const [method, target, allowed] of [
    ["GET", "/api/artifacts", ["POST"]],
    ["PATCH", "/api/artifacts", ["POST"]],
    ["PATCH", `/api/artifacts/${id}`, ["GET", "HEAD"]],
    ["POST", `/api/artifacts/${id}`, ["GET", "HEAD"]],
    ["GET", "/encode", ["POST"]],
    ["PUT", "/decode", ["POST"]],
    ["POST", "/health", ["GET", "HEAD"]],
    ["DELETE", "/arx-dictionary.json", ["GET", "HEAD"]],
    ["POST", `/${id}/raw`, ["GET", "HEAD"]],
  ]) {
    const answer = await server.request(method, target, { body: method === "GET" ? undefined : "{}" });
    assert.equal(answer.status, 405, `${method} ${target}: ${answer.text}`);
    const allow = answer.headers.allow.split(/, */);
    for (const name of allowed) assert.ok(allow.includes(name), `${name} in Allow of ${target}: ${allow}`);
    assert.ok(!allow.includes(method), `${method} ${target}`);
    if (target.startsWith("/api/")) assertError(answer, 405, "Method not allowed.");
  }
});

test("methods nobody knows: 501", async () => {
  for (const method of ["BREW", "G@T", "get", "PROPFIND"]) {
    const { text } = await server.raw(
      `${method} /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 501 /, method);
  }
});

test("paths are cut at the query, stripped of slashes and decoded once", async () => {
  for (const target of ["/health", "/health/", "/health//", "/health?x=1", "/health/?a/b", "/%68ealth", "/healt%68/"])
    assert.equal((await server.request("GET", target)).status, 200, target);
  for (const target of ["/%2568ealth", "/health%2f", "/health%3fx", "/Health", "/health;x"])
    assert.equal((await server.request("GET", target)).status, 404, target);
});

test("path tricks lead nowhere", async () => {
  const { id } = await server.create("pe30");
  for (const target of [
    `/${id}%00.html`,
    `/${id}%00`,
    "/health%00",
    "/%00health",
    "/../health",
    "/x/../health",
    "/./health",
    "/health/.",
    "/health/..",
    "/%2e%2e/health",
    "/%2E/health",
    "/.%2e/health",
    "//health",
    `//${id}`,
    "/api//artifacts",
    `/api/artifacts//${id}`,
    "/a/..%2f..%2fetc/passwd",
    "/assets/..%2f..%2f..%2fetc%2fpasswd",
    "/assets/../arx-dictionary.json",
    "/.well-known/../../etc/passwd",
    "/../../../../etc/passwd",
    "/\\health",
    "/%5chealth",
    "/assets\\index.json",
    "/..%5c..%5cetc%5cpasswd",
    "/arx-dictionary.json%00.br",
  ]) {
    const answer = await server.raw(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    assert.match(answer.text, /^HTTP\/1\.1 404 /, target);
    assert.ok(!answer.text.includes("root:"), target);
  }
});

test("percent signs that encode nothing", async () => {
  for (const target of ["/%", "/%4", "/%zz", "/health%", "/%ff", "/%c0%af"]) {
    const { text } = await server.raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 40[04] /, target);
  }
});

test("absolute-form targets", async () => {
  const ask = (target) =>
    server.raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  assert.match((await ask(`${server.origin}/health`)).text, /^HTTP\/1\.1 (200|400) /);
  assert.match((await ask(`${server.origin}/nope`)).text, /^HTTP\/1\.1 40[04] /);
  assert.match((await ask("http:///health")).text, /^HTTP\/1\.1 40[04] /);
});

test("long targets and many headers are refused, and the server goes on", async () => {
  const long = await server.raw(
    `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  assert.match(long.text, /^(HTTP\/1\.1 4\d\d |$)/);
  const many = Array.from({ length: 5000 }, (_, i) => `X-${i}: y\r\n`).join("");
  const headers = await server.raw(`GET /health HTTP/1.1\r\nHost: a\r\n${many}Connection: close\r\n\r\n`);
  assert.match(headers.text, /^(HTTP\/1\.1 (200|4\d\d) |$)/);
  assert.equal((await server.request("GET", "/health")).status, 200);
});
