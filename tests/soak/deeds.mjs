/*
 * deeds.mjs - what the clients of mixed.mjs do: how often, what it is called, and the deed itself,
 * which gets the client and throws where an answer is not the one that is right.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import net from "node:net";
import { sleep } from "../http/harness.mjs";
import { payloadOf } from "../http/page.mjs";

const MOST_LINKS = 400; // a client has; more are deleted again
const UNKNOWN = "3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab";

const envelopeOf = (text) => ({ v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", content: text }] });

/* ---- links ---- */

async function create(client) {
  const payload = client.newPayload();
  const { body } = await client.want(201, "POST", "/api/artifacts", { json: { payload } });
  client.keep({ id: body.id, key: body.edit_key, payload });
  if (client.links.length > MOST_LINKS) await remove(client);
}

async function createOnce(client) {
  const payload = client.newPayload();
  const options = { json: { payload }, headers: { "Idempotency-Key": `soak-${process.pid}-of-client-${client.number}-${client.made}` } };
  const first = await client.want(201, "POST", "/api/artifacts", options);
  const second = await client.want(201, "POST", "/api/artifacts", options);
  assert.equal(second.text, first.text);
  await client.want(409, "POST", "/api/artifacts", { ...options, json: { payload: "another" } });
  client.keep({ id: first.body.id, key: first.body.edit_key, payload });
}

async function createFromEnvelope(client) {
  const text = client.newText();
  const made = await client.wantWorked(201, "POST", "/api/artifacts", { json: { envelope: envelopeOf(text) } });
  if (!made) return;
  const { id, edit_key: key } = made.body;
  const { payload } = (await client.want(200, "GET", `/api/artifacts/${id}`)).body;
  client.keep({ id, key, payload, text });
}

async function share(client) {
  const text = client.newText();
  const made = await client.wantWorked(201, "POST", "/share?filename=a.md", { body: text, headers: { Accept: "application/json" } });
  if (!made) return;
  const { id, edit_key: key } = made.body;
  const { payload } = (await client.want(200, "GET", `/api/artifacts/${id}`)).body;
  client.keep({ id, key, payload, text });
}

async function read(client) {
  const link = client.anyLink();
  if (link) await client.checkLink(link);
}

async function head(client) {
  const link = client.anyLink();
  if (!link) return;
  const { text } = await client.want(200, "HEAD", `/api/artifacts/${link.id}`);
  assert.equal(text, "");
}

async function page(client) {
  const link = client.anyLink();
  if (!link) return;
  const { text } = await client.want(200, "GET", `/${link.id}`, { headers: { Accept: "text/html" } });
  assert.equal(payloadOf(text), link.payload);
}

async function decoded(client) {
  const link = client.anyLink();
  if (!link) return;
  if (link.text === undefined) {
    await client.wantWorked(422, "GET", `/${link.id}/raw`);
    return;
  }
  const raw = await client.wantWorked(200, "GET", `/${link.id}/raw`);
  if (raw) assert.equal(raw.text, link.text);
  const asJson = await client.wantWorked(200, "GET", `/${link.id}`, { headers: { Accept: "application/json" } });
  if (asJson) assert.equal(asJson.body.artifacts[0].content, link.text);
}

async function change(client) {
  const link = client.anyLink();
  if (!link) return;
  const payload = client.newPayload();
  await client.want(401, "PUT", `/api/artifacts/${link.id}`, { json: { payload: "wrong" }, key: "A".repeat(22) });
  const { body } = await client.want(200, "PUT", `/api/artifacts/${link.id}`, { json: { payload }, key: link.key });
  assert.equal(body.payload, payload);
  Object.assign(link, { payload, text: undefined });
  await client.checkLink(link);
}

async function remove(client) {
  const link = client.anyLink();
  if (!link) return;
  await client.checkLink(link);
  client.forget(link);
  await client.want(200, "DELETE", `/api/artifacts/${link.id}`, { key: link.key });
  await client.want(404, "GET", `/api/artifacts/${link.id}`);
  await client.want(404, "GET", `/${link.id}`);
}

async function countViews(client) {
  const payload = client.newPayload();
  const most = 1 + client.dice.below(3);
  const { body } = await client.want(201, "POST", "/api/artifacts", { json: { payload, max_views: most, ttl_seconds: 600 } });
  for (let i = 0; i < most; i++) {
    await client.want(200, "HEAD", `/api/artifacts/${body.id}`);
    await client.checkLink({ id: body.id, payload });
  }
  await client.want(404, "GET", `/api/artifacts/${body.id}`);
}

/* ---- the codec ---- */

async function encode(client) {
  const text = client.newText();
  const got = await client.wantWorked(200, "POST", "/encode", { json: { artifact: { kind: "markdown", content: text } } });
  const back = got && (await client.wantWorked(200, "POST", "/decode", { json: { fragment: got.body.fragment } }));
  if (back) assert.equal(back.body.envelope.artifacts[0].content, text);
}

async function encodeLater(client) {
  const text = client.newText();
  const begun = await client.wantWorked(202, "POST", "/encode", { json: { artifact: { kind: "markdown", content: text }, async: true } });
  if (!begun) return;
  const job = `/encode/jobs/${begun.body.job}`;
  const cancelled = client.dice.below(3) === 0; // or has run already, and is about to be done
  if (cancelled) await client.want(200, "DELETE", job);
  for (let i = 0; ; i++) {
    const { body } = await client.want(200, "GET", job);
    if (body.status === "done" || (cancelled && body.status === "cancelled")) return;
    if (body.status === "failed") return assert.equal(body.code, "deadline");
    assert.ok(["queued", "running"].includes(body.status) && i < 3000, JSON.stringify(body));
    await sleep(20);
  }
}

/* ---- agents ---- */

/** The result of an action by OUI, once it is final; null where the workers have no room or time. */
async function act(client, action, params, requestId = randomUUID()) {
  const [surfaceId, actionId] = action.split(".");
  let answer = await client.ask("POST", "/oui/dispatch", { json: { requestId, surfaceId, actionId, params, timestamp: Date.now() } });
  for (let i = 0; (answer.status === 202 || answer.status === 204) && i < 60; i++)
    answer = await client.ask("GET", `/oui/results/${requestId}?final=1&waitMs=2000`);
  const busy = answer.status === 503 || ["app:busy", "TIMEOUT"].includes(answer.body?.error?.code);
  if (busy) {
    client.load.turnedAway++;
    return null;
  }
  assert.ok(answer.status === 200 && answer.body.success, `${action}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer.body.data;
}

/** The result of a tool by MCP, likewise. */
async function use(client, name, args) {
  const json = { jsonrpc: "2.0", id: client.made, method: "tools/call", params: { name, arguments: args } };
  const { body } = await client.want(200, "POST", "/mcp", { json, headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" } });
  const { isError, structuredContent, content } = body.result;
  if (isError && /app:busy|TIMEOUT/.test(content[0].text)) {
    client.load.turnedAway++;
    return null;
  }
  assert.ok(!isError, `${name}: ${content[0].text.slice(0, 300)}`);
  return structuredContent;
}

async function keepMade(client, made, text) {
  const { payload } = (await client.want(200, "GET", `/api/artifacts/${made.id}`)).body;
  client.keep({ id: made.id, key: made.edit_key, payload, text });
}

async function createByAgent(client) {
  const text = client.newText();
  const requestId = randomUUID();
  const params = { artifact: { kind: "markdown", content: text } };
  const made = await act(client, "artifacts.create_link", params, requestId);
  if (!made) return;
  assert.deepEqual(await act(client, "artifacts.create_link", params, requestId), made, "a request id runs once");
  await keepMade(client, made, text);
  const read = await act(client, "artifacts.read", { id: made.id });
  if (read) assert.equal(read.text, text);
}

async function encodeByAgent(client) {
  const text = client.newText();
  const made = await act(client, "artifacts.encode", { artifact: { kind: "markdown", content: text } });
  const back = made && (await act(client, "artifacts.decode", { payload: made.payload }));
  if (back) assert.equal(back.envelope.artifacts[0].content, text);
}

async function createByTool(client) {
  const text = client.newText();
  const made = await use(client, "artifacts_create_link", { artifact: { kind: "markdown", content: text } });
  if (!made) return;
  await keepMade(client, made, text);
  const read = await use(client, "artifacts_read", { id: made.id });
  if (read) assert.equal(read.text, text);
}

async function snapshot(client) {
  const { headers } = await client.want(200, "GET", "/oui/snapshot");
  assert.equal(headers["oui-version"], "0.7.0");
}

/** Listens until it has been told of the service, and leaves. */
function listen(client) {
  client.load.requests++;
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = net.connect(client.server.port, "127.0.0.1", () => socket.write("GET /oui/events?announce=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    socket.setEncoding("utf8");
    socket.on("data", (piece) => {
      heard += piece;
      if (!heard.includes('"limits"')) return;
      socket.destroy();
      if (heard.startsWith("HTTP/1.1 200 ")) resolve();
      else reject(new Error(heard.slice(0, 300)));
    });
    socket.once("error", reject);
    socket.once("end", () => reject(new Error(`the stream ended: ${heard.slice(0, 300)}`)));
  });
}

/* ---- what is served as it is ---- */

async function assets(client) {
  const path = client.dice.oneOf(["/arx-dictionary.json", "/arx2-dictionary.json", "/arx4-priors.json", "/arx-dictionary.json.br"]);
  const coding = path.endsWith(".br") ? {} : { "Accept-Encoding": client.dice.oneOf(["br", "gzip", "identity"]) };
  const { headers } = await client.want(200, "GET", path, { headers: coding });
  await client.want(304, "GET", path, { headers: { ...coding, "If-None-Match": headers.etag } });
}

async function documents(client) {
  const path = client.dice.oneOf(["/health", "/openapi.json", "/llms.txt", "/assets/index.json", "/robots.txt"]);
  await client.want(200, "GET", path);
}

async function cleanup(client) {
  const { body } = await client.want(200, "POST", "/api/cleanup", { body: "" });
  assert.ok(Number.isInteger(body.deleted));
}

/* ---- what is wrong ---- */

const MISTAKES = [
  [404, "GET", "/nope"],
  [404, "GET", "/api/nope"],
  [404, "GET", "/../etc/passwd"],
  [404, "GET", "/a/%00"],
  [404, "GET", `/api/artifacts/${UNKNOWN}`],
  [404, "GET", `/${UNKNOWN}`],
  [404, "DELETE", `/api/artifacts/${UNKNOWN}`, { key: "A".repeat(22) }],
  [405, "PATCH", `/api/artifacts/${UNKNOWN}`, { body: "{}" }],
  [405, "DELETE", "/encode"],
  [405, "GET", "/mcp"],
  [400, "GET", "/oui/events?surface=nope"],
  [400, "POST", "/oui/dispatch", { body: "[" }],
  [501, "BREW", "/"],
  [400, "POST", "/api/artifacts", { body: "{" }],
  [400, "POST", "/api/artifacts", { body: "[".repeat(5000) }],
  [400, "POST", "/api/artifacts", { body: '{"payload":"\\ud800"}' }],
  [400, "POST", "/api/artifacts", { json: { payload: 5 } }],
  [400, "POST", "/api/artifacts", { json: { payload: "" } }],
  [400, "POST", "/api/artifacts", { json: { payload: "x", ttl_seconds: 1 } }],
  [400, "POST", "/encode", { json: { artifact: 5 } }],
  [422, "POST", "/encode", { json: { envelope: { v: 2 } } }],
  [422, "POST", "/decode", { json: { fragment: "#a~~~" } }],
  [400, "POST", "/share", { body: Buffer.from([0xff, 0xfe]) }],
];

async function mistake(client) {
  const [status, method, path, options] = client.dice.oneOf(MISTAKES);
  if (status === 422) await client.wantWorked(status, method, path, options);
  else await client.want(status, method, path, options);
}

const TOO_LARGE = Buffer.alloc((256 << 10) + 1, 0x20); // for --max-body 262144
async function tooLarge(client) {
  await client.want(413, "POST", "/api/artifacts", { body: TOO_LARGE });
}

/* ---- bad manners ---- */

/** Opens a connection, says `text`, is there for a while, and goes without a word. */
function sayAndLeave(client, text, ms) {
  client.load.requests++;
  return new Promise((resolve) => {
    const socket = net.connect(client.server.port, "127.0.0.1", () => socket.write(text));
    socket.on("error", () => {});
    socket.on("data", () => {});
    setTimeout(() => (socket.destroy(), resolve()), ms);
  });
}

const leaveSilently = (client) => sayAndLeave(client, "", client.dice.below(50));
const leaveInHead = (client) => sayAndLeave(client, "GET / HTTP/1.1\r\nHo", client.dice.below(20));
const leaveInBody = (client) =>
  sayAndLeave(client, 'POST /api/artifacts HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n{"payl', client.dice.below(20));
const leaveWhileWorked = (client) => {
  const body = JSON.stringify({ artifact: { kind: "markdown", content: client.newText() } });
  const head = `POST /encode HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return sayAndLeave(client, head + body, client.dice.below(30));
};
const garbage = (client) => sayAndLeave(client, client.dice.oneOf(["\0\0\0", "\x16\x03\x01\x02", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"]), 5);

/** Many requests before the first answer is read. */
function pipeline(client) {
  const count = 20;
  client.load.requests += count;
  return new Promise((resolve, reject) => {
    let text = "";
    const ask = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    const last = "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const socket = net.connect(client.server.port, "127.0.0.1", () => socket.write(ask.repeat(count - 1) + last));
    socket.setEncoding("latin1");
    socket.on("data", (piece) => (text += piece));
    socket.once("error", reject);
    socket.once("close", () => {
      const answered = text.split("HTTP/1.1 200 ").length - 1;
      if (answered === count) resolve();
      else reject(new Error(`${answered} of ${count} pipelined requests were answered`));
    });
  });
}

export const DEEDS = [
  [120, "create", create],
  [20, "create once", createOnce],
  [10, "create from an envelope", createFromEnvelope],
  [10, "share", share],
  [300, "read", read],
  [40, "head", head],
  [100, "page", page],
  [40, "decoded", decoded],
  [40, "change", change],
  [40, "remove", remove],
  [10, "count views", countViews],
  [12, "encode", encode],
  [6, "encode later", encodeLater],
  [8, "create by an agent", createByAgent],
  [6, "encode by an agent", encodeByAgent],
  [8, "create by a tool", createByTool],
  [4, "snapshot", snapshot],
  [5, "listen", listen],
  [40, "assets", assets],
  [40, "documents", documents],
  [1, "cleanup", cleanup],
  [60, "mistake", mistake],
  [4, "too large", tooLarge],
  [5, "leave silently", leaveSilently],
  [5, "leave in the head", leaveInHead],
  [5, "leave in the body", leaveInBody],
  [5, "leave while it works", leaveWhileWorked],
  [5, "garbage", garbage],
  [10, "pipeline", pipeline],
];
