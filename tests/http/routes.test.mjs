/* Which path answers which method, with which headers; and paths that try to be clever. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { note, UNKNOWN_ID, want } from "./calls.mjs";
import { assertError, pageManifest, startServer, until } from "./harness.mjs";

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

test("HEAD answers every GET there is, with its headers and no body", async () => {
  const { id } = await server.create({ envelope: note("# x") });
  const { job } = await want(202, server, "POST", "/encode", { json: { envelope: note("x"), async: true } });
  await until(async () => (await server.getJson(`/encode/jobs/${job}`)).status === "done", "the job");
  const { active } = await server.getJson("/assets/index.json");
  const described = Object.entries((await server.getJson("/openapi.json")).paths).filter(([, { get }]) => get);
  const page = pageManifest().files.find(({ immutable }) => immutable).path;
  const named = {
    "/page/{name}": page,
    "/assets/{set}/{name}": `/assets/${active}/arx2-dictionary.json`,
    "/encode/jobs/{id}": `/encode/jobs/${job}`,
    "/{id}/raw/{name}": `/${id}/raw/note`,
  };
  const targets = described.map(([template]) => named[template] ?? template.replace("{id}", id).replace("{name}", "nobody"));
  assert.ok(targets.length > 30 && !targets.some((target) => target.includes("{")), targets.join(" "));
  // headers alone: what a stream sends has no end
  const headersOf = async (method, target) => {
    const answer = await server.fetch(target, { method });
    const bytes = method === "HEAD" ? (await answer.arrayBuffer()).byteLength : await answer.body?.cancel();
    const headers = Object.fromEntries(answer.headers);
    // fetch asks to close behind a HEAD
    for (const name of ["connection", "date", "x-request-id", "server-timing"]) delete headers[name];
    return { status: answer.status, headers, bytes };
  };
  for (const target of [...targets, "/nope", `/api/artifacts/${UNKNOWN_ID}`, `/${UNKNOWN_ID}`]) {
    let get, head;
    for (let i = 0; i < 20 && !(get && isDeepStrictEqual(head.headers, get.headers)); i++) {
      get = await headersOf("GET", target); // again where it counts what is going on just now
      head = await headersOf("HEAD", target);
    }
    assert.equal(head.status, get.status, target);
    assert.deepEqual(head.headers, get.headers, target);
    assert.ok(!head.bytes, target);
  }
});

test("GET's Content-Length is the body's", async () => {
  const { id } = await server.create("pe30");
  for (const target of ["/health", `/api/artifacts/${id}`, `/${id}`, "/arx-dictionary.json", "/nope", `/${UNKNOWN_ID}`]) {
    const get = await server.request("GET", target);
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

const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));
const NO_BODIES = {
  nothing: "",
  "not JSON": "x",
  "cut short": '{"x":1',
  "text behind it": "{} x",
  "two of them": "{}{}",
  "a byte order mark": "\ufeff{}",
  "a NUL behind it": "{}\0",
  "a NUL behind a number": '{"x":1\0}',
  "a raw control character": '{"x":"\u0001"}',
  "byte ff": bytes('{"x":"', [0xff], '"}'),
  "overlong UTF-8": bytes('{"x":"', [0xc0, 0xaf], '"}'),
  "a surrogate as UTF-8": bytes('{"x":"', [0xed, 0xa0, 0x80], '"}'),
  "UTF-16": Buffer.from("{}", "utf16le"),
  "U+0000 in a key": '{"a\\u0000b":1}',
  "a number past a double": '{"x":1e999}',
  "an integer past 64 bits": '{"x":123456789012345678901234567890}',
  "513 levels": `{"x":${"[".repeat(512)}${"]".repeat(512)}}`,
  "2,049 levels": `{"x":${"[".repeat(2048)}${"]".repeat(2048)}}`,
  "100,000 brackets": "[".repeat(100_000),
  "100,000 objects": '{"x":'.repeat(100_000),
  null: "null",
  "an array": "[]",
  "a number": "5",
  "a string": '"x"',
  true: "true",
};

test("what no route that reads JSON takes for a body", async () => {
  const { paths } = await server.getJson("/openapi.json");
  const routes = Object.entries(paths).flatMap(([template, item]) =>
    ["post", "put"].filter((method) => item[method]?.requestBody?.content["application/json"]).map((method) => [method.toUpperCase(), template]),
  );
  assert.ok(routes.length > 8);
  for (const [method, template] of routes) {
    const target = template.replace("{id}", UNKNOWN_ID).replace("{name}", UNKNOWN_ID);
    // a result that nobody knows is not acknowledged, whatever is said of it
    const status = template.endsWith("/ack") ? 404 : 400;
    const tries = Object.entries(NO_BODIES).map(async ([name, body]) => {
      const answer = await server.request(method, target, { headers: { "Content-Type": "application/json" }, body });
      assert.equal(answer.status, status, `${method} ${target}, ${name}: ${answer.text.slice(0, 200)}`);
      assert.match(answer.headers["content-type"], /^application\/json/);
      const { error } = JSON.parse(answer.text);
      assert.equal(typeof (error.message ?? error), "string", name);
    });
    await Promise.all(tries);
  }
});
