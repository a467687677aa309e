/*
 * The reverse proxies of deploy/ in front of a real arxd: nginx with deploy/nginx.conf, Caddy with
 * deploy/Caddyfile. What is changed for the test: addresses and ports, and where a certificate is.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import { after, before, test } from "node:test";
import zlib from "node:zlib";
import { note } from "../http/calls.mjs";
import { freePort, ROOT, run, startServer, temporaryFolder, until } from "../http/harness.mjs";

const SITE = "arxd.example.org";
const folder = temporaryFolder("proxies");
const inside = (name) => path.join(folder, name);
const children = [];

/** A program that must stay up until it is ended. */
function start(file, args, env = {}) {
  const child = spawn(file, args, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  child.said = "";
  for (const out of [child.stdout, child.stderr]) out.on("data", (bytes) => (child.said += bytes));
  child.once("close", (code) => (child.ended = `ended with ${code}: ${child.said}`));
  children.push(child);
  return child;
}
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

let arxd, upstream;
const proxies = {};

/** The file as it is, but for what can only be true where it is installed. */
function nginx(port, redirectPort) {
  const site = fs.readFileSync(path.join(ROOT, "deploy/nginx.conf"), "utf8");
  const changes = [
    [/server 127\.0\.0\.1:3000;/, `server 127.0.0.1:${upstream};`],
    [/listen 80;/, `listen 127.0.0.1:${redirectPort};`],
    [/listen 443 /, `listen 127.0.0.1:${port} `],
    [/ *listen \[::\]:80;\n/, ""],
    [/ *listen \[::\]:443 [^;]*;\n/, ""],
    [/\/etc\/letsencrypt\/live\/arxd\.example\.org\/fullchain\.pem/, inside("cert.pem")],
    [/\/etc\/letsencrypt\/live\/arxd\.example\.org\/privkey\.pem/, inside("key.pem")],
  ];
  let text = site;
  for (const [from, to] of changes) {
    assert.match(text, from);
    text = text.replace(from, to);
  }
  fs.writeFileSync(inside("site.conf"), text);
  const scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${inside(name)};`).join(" ");
  // As Debian's own, with everything compressed that can be, so that a site must say no to it.
  fs.writeFileSync(inside("nginx.conf"), `
    daemon off; master_process off; worker_processes 1; pid ${inside("nginx.pid")}; error_log stderr warn;
    events { worker_connections 768; }
    http { ${scratch} access_log off; gzip on; gzip_proxied any; gzip_min_length 1; gzip_types *; include ${inside("site.conf")}; }`);
  return start("nginx", ["-p", folder, "-e", "stderr", "-c", inside("nginx.conf")]);
}

function caddy(port, redirectPort) {
  fs.writeFileSync(inside("Caddyfile"), `{
    admin off
    local_certs
    skip_install_trust
    default_bind 127.0.0.1
    http_port ${redirectPort}
    https_port ${port}
    storage file_system ${inside("caddy")}
  }
  import ${path.join(ROOT, "deploy/Caddyfile")}\n`);
  return start("caddy", ["run", "--config", inside("Caddyfile"), "--adapter", "caddyfile"], { ARXD_UPSTREAM: `127.0.0.1:${upstream}` });
}

/** One request to a proxy, as for SITE. `from`: this client's own address. */
function ask(proxy, method, target, { headers = {}, body, json, from = "127.0.0.1", stream } = {}) {
  const bytes = json === undefined ? body : JSON.stringify(json);
  return new Promise((resolve, reject) => {
    const request = https.request(
      { host: "127.0.0.1", port: proxies[proxy].port, servername: SITE, rejectUnauthorized: false, agent: false, localAddress: from,
        method, path: target, headers: { Host: SITE, ...(bytes === undefined ? {} : { "Content-Length": Buffer.byteLength(bytes) }), ...headers } },
      (response) => {
        if (stream) return resolve({ response, request });
        const pieces = [];
        response.on("data", (piece) => pieces.push(piece));
        response.once("error", reject);
        response.once("end", () => {
          const all = Buffer.concat(pieces);
          let parsed;
          try {
            parsed = JSON.parse(all);
          } catch {}
          resolve({ status: response.statusCode, headers: response.headers, bytes: all, text: all.toString(), body: parsed });
        });
      },
    );
    request.once("error", reject);
    request.end(bytes);
  });
}

const startArxd = (args) =>
  startServer({ folder: temporaryFolder("behind"), onPort: upstream, args: ["--trust-proxy", "1", "--public-url", `https://${SITE}`, ...args] });

before(async () => {
  const made = run("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", `/CN=${SITE}`, "-keyout", inside("key.pem"), "-out", inside("cert.pem")]);
  assert.equal(made.code, 0, made.stderr);
  upstream = await freePort();
  arxd = await startArxd([]);
  for (const [name, begin] of Object.entries({ nginx, caddy })) {
    const [port, redirectPort] = [await freePort(), await freePort()];
    proxies[name] = { port, redirectPort, child: begin(port, redirectPort) };
  }
  for (const [name, { child }] of Object.entries(proxies))
    await until(async () => {
      assert.ok(!child.ended, `${name} ${child.ended}`);
      return (await ask(name, "GET", "/health").catch(() => null))?.status === 200;
    }, `${name} to answer: ${child.said}`, 30_000);
});
after(async () => {
  await arxd.stop();
  for (const { child } of Object.values(proxies)) {
    child.kill("SIGTERM");
    await until(() => child.ended, "a proxy to end");
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

/** The same of each proxy. */
const each = (what, check) => ["nginx", "caddy"].forEach((name) => test(`${name}: ${what}`, () => check(name)));

/** Another arxd behind the proxies until `act` has ended. */
async function withArxd(args, act) {
  await arxd.stop();
  arxd = await startArxd(args);
  await act();
  await arxd.stop();
  arxd = await startArxd([]);
}

each("http goes to https, which says to stay", async (name) => {
  const location = await new Promise((resolve, reject) =>
    http.get({ host: "127.0.0.1", port: proxies[name].redirectPort, path: "/x?y", headers: { Host: SITE } }, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers.location]);
    }).once("error", reject));
  assert.ok([301, 308].includes(location[0]), `${location}`);
  assert.match(location[1], /^https:\/\/arxd\.example\.org(:\d+)?\/x\?y$/);
  for (const target of ["/", "/no/such/path"])
    assert.equal((await ask(name, "GET", target)).headers["strict-transport-security"], "max-age=31536000", target);
});

each("links are made, opened, changed and deleted; headers and paths go through as they are", async (name) => {
  const made = await ask(name, "POST", "/api/artifacts", { json: { envelope: note("# Behind a proxy\n") } });
  assert.equal(made.status, 201, made.text);
  const { id, url, edit_key } = made.body;
  assert.equal(url, `https://${SITE}/${id}`);
  const page = await ask(name, "GET", `/${id}`);
  assert.equal(page.status, 200);
  const direct = await arxd.request("GET", `/${id}`);
  for (const header of ["content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy", "cache-control", "x-robots-tag", "vary", "content-type"])
    assert.equal(page.headers[header], direct.headers[header], header);
  assert.match(page.headers["x-request-id"], /./);
  assert.equal((await ask(name, "GET", `/${id}`, { headers: { Accept: "text/markdown" } })).text, "# Behind a proxy\n");
  assert.equal((await ask(name, "GET", `/${id}/raw?download`)).headers["content-disposition"].split(";")[0], "attachment");
  const key = { Authorization: `Bearer ${edit_key}` };
  assert.equal((await ask(name, "PUT", `/api/artifacts/${id}`, { json: { payload: "pe30" }, headers: key })).status, 200);
  assert.equal((await ask(name, "DELETE", `/api/artifacts/${id}`, { headers: key })).status, 200);
  assert.equal((await ask(name, "PATCH", `/api/artifacts/${id}`)).headers.allow.includes("PUT"), true);
  for (const target of ["/a%2Fb", "/%00", "/../x"]) assert.ok([400, 404].includes((await ask(name, "GET", target)).status), target);
});

each("bodies up to arxd's own limit reach it, larger ones get its answer", async (name) => {
  const large = await ask(name, "POST", "/api/artifacts", { body: JSON.stringify({ payload: "p".repeat(4_000_000) }) });
  assert.equal(large.status, 400);
  assert.equal(large.body.error, "Payload exceeds the maximum allowed length of 500,000 characters.");
  const larger = await ask(name, "POST", "/api/artifacts", { body: Buffer.alloc(6_000_000, "x") });
  assert.equal(larger.status, 413);
  assert.equal(larger.body.error, "Request body too large.");
});

each("what is compressed is so once, and keys never are", async (name) => {
  const { id } = (await ask(name, "POST", "/api/artifacts", { json: { envelope: note("x".repeat(3000)) } })).body;
  for (const encoding of ["br", "gzip, br", "gzip"]) {
    const priors = await ask(name, "GET", "/arx4-priors.json", { headers: { "Accept-Encoding": encoding } });
    const used = priors.headers["content-encoding"];
    assert.ok(encoding.includes(used), `${used} of ${encoding}`);
    const plain = used === "br" ? zlib.brotliDecompressSync(priors.bytes) : zlib.gunzipSync(priors.bytes);
    assert.equal(JSON.parse(plain).version, 1);
    assert.equal(Number(priors.headers["content-length"]), priors.bytes.length);
  }
  const all = { headers: { "Accept-Encoding": "gzip, br, zstd" } };
  for (const [method, target, more] of [["GET", `/${id}`, {}], ["GET", `/api/artifacts/${id}`, {}], ["POST", "/api/artifacts", { json: { payload: "pe30" } }], ["GET", `/${id}/raw`, {}]]) {
    const answer = await ask(name, method, target, { ...all, ...more });
    assert.equal(answer.headers["content-encoding"], undefined, `${method} ${target}`);
  }
});

each("the page's files are as arxd made them, and may be kept", async (name) => {
  const html = (await ask(name, "GET", "/")).text;
  const [, script] = /(?:src|href)="([^"]+\.(?:js|mjs))"/.exec(html);
  const target = new URL(script, `https://${SITE}/`).pathname;
  const through = await ask(name, "GET", target, { headers: { "Accept-Encoding": "br" } });
  const direct = await arxd.request("GET", target, { headers: { "Accept-Encoding": "br" } });
  assert.equal(through.status, 200);
  assert.deepEqual(through.bytes, direct.bytes);
  assert.equal(through.headers.etag, direct.headers.etag);
  assert.match(through.headers["cache-control"], /immutable/);
  assert.equal((await ask(name, "GET", target, { headers: { "Accept-Encoding": "br", "If-None-Match": direct.headers.etag } })).status, 304);
});

each("an event of a stream arrives when it happens", async (name) => {
  const { response, request } = await ask(name, "GET", "/oui/events", { stream: true });
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers["content-type"], "text/event-stream");
  let text = "";
  response.setEncoding("utf8").on("data", (piece) => (text += piece)).on("error", () => {});
  const requestId = `proxied-${name}-${Date.now()}`;
  // an encode's result is told to whoever listens; again, should the first have come too early
  await until(async () => {
    const sent = { requestId: `${requestId}-${text.length}-${Math.random()}`, surfaceId: "artifacts", actionId: "create_link", params: { artifact: { kind: "markdown", content: "# x\n" } } };
    assert.equal((await ask(name, "POST", "/oui/dispatch", { json: sent })).status, 200);
    return /^event: /m.test(text);
  }, `an event while the stream is open: ${text}`, 20_000);
  assert.ok(!response.complete, "the stream is still open");
  request.destroy();
});

test("a client is told by its own address, whatever it claims; 429 goes through", () =>
  withArxd(["--rate", "write=0.3/s"], async () => {
    for (const [name, at] of [["nginx", "127.0.0."], ["caddy", "127.0.1."]]) {
      const write = (from, claim) => ask(name, "POST", "/api/cleanup", { from, headers: { "X-Forwarded-For": claim, "X-Real-IP": claim, Forwarded: `for=${claim}` } });
      let answer;
      for (let i = 0; i < 60 && answer?.status !== 429; i++) answer = await write(`${at}11`, `192.0.2.${i}`);
      assert.deepEqual([answer.status, answer.body.code], [429, "rate-limited"], name);
      assert.ok(Number(answer.headers["retry-after"]) >= 1);
      assert.equal((await write(`${at}12`, "192.0.2.1")).status, 200, `${name}: another address has its own`);
    }
  }));

test("503 and 507 go through as they are", () =>
  withArxd(["--queue", "1", "--workers", "1", "--quota", "rows=1"], async () => {
    const content = Array.from({ length: 3000 }, (_, i) => `word${(i * 7919) % 10007} `).join("");
    for (const name of ["nginx", "caddy"]) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask(name, "POST", "/encode", { json: { envelope: note(content) } })));
      const busy = answers.find(({ status }) => status === 503);
      assert.ok(busy, `${name}: ${answers.map(({ status }) => status)}`);
      assert.equal(busy.body.code, "busy");
      assert.ok(Number(busy.headers["retry-after"]) >= 1);
      assert.ok(answers.some(({ status }) => status === 200), name);
      await ask(name, "POST", "/api/artifacts", { json: { payload: "pe30" } });
      const full = await ask(name, "POST", "/api/artifacts", { json: { payload: "pe30" } });
      assert.deepEqual([full.status, full.body.code], [507, "storage-full"]);
    }
  }));

test("without --public-url links start with https and the name that was asked", async () => {
  await arxd.stop();
  arxd = await startServer({ folder: temporaryFolder("behind"), onPort: upstream, args: ["--trust-proxy", "1"] });
  for (const name of ["nginx", "caddy"]) {
    const made = await ask(name, "POST", "/api/artifacts", { json: { payload: "pe30" }, headers: { "X-Forwarded-Proto": "gopher" } });
    assert.equal(made.body.url, `https://${SITE}/${made.body.id}`, name);
  }
});

test("arxd that is not there: the proxies say so, and find it again", async () => {
  await arxd.stop();
  for (const name of ["nginx", "caddy"]) assert.equal((await ask(name, "GET", "/health")).status, 502, name);
  arxd = await startArxd([]);
  for (const name of ["nginx", "caddy"])
    await until(async () => (await ask(name, "GET", "/health")).status === 200, `${name} to find it`, 30_000);
});
