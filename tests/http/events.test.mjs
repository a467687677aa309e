/* Server-sent events: what is announced, what is told and to whom, replay, silence, and the end. */
import assert from "node:assert/strict";
import http from "node:http";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { act, KEYS, send, startKeyed } from "./agents.mjs";
import { call } from "./calls.mjs";
import { startServer, until } from "./harness.mjs";

const report = (content = "# Report\n") => ({ kind: "markdown", title: "Report", content });

let server;
before(async () => (server = await startKeyed()));
after(() => server.stop());

/** Listens: `events` grows as they come; `ended` is true once the server has ended the stream. */
function listen({ on = server, key = KEYS.agent, query = "", headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const sent = { ...headers };
    if (key) sent.Authorization = `Bearer ${key}`;
    const request = http.request({ host: "127.0.0.1", port: on.port, path: `/oui/events${query}`, headers: sent, agent: false }, (response) => {
      const stream = { response, status: response.statusCode, events: [], text: "", ended: false, close: () => request.destroy() };
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => {
        stream.text += piece;
        rest += piece;
        const blocks = rest.split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          const event = {};
          for (const line of block.split("\n")) {
            const at = line.indexOf(":");
            if (at > 0) event[line.slice(0, at)] = line.slice(at + 2);
          }
          if (event.event) stream.events.push({ id: event.id, type: event.event, data: JSON.parse(event.data) });
        }
      });
      response.on("end", () => (stream.ended = true));
      response.on("error", () => {});
      resolve(stream);
    });
    request.on("error", reject);
    request.end();
  });
}
const seen = (stream, test, what) => until(() => stream.events.find(test), what);
const update = (observationId, holds = () => true) => (event) =>
  event.type === "observation:update" && event.data.observationId === observationId && holds(event.data.value);

test("surfaces and values are announced", async () => {
  const stream = await listen({ query: "?announce=1" });
  assert.equal(stream.status, 200);
  assert.equal(stream.response.headers["content-type"], "text/event-stream");
  assert.equal(stream.response.headers["x-accel-buffering"], "no");
  assert.equal(stream.response.headers["oui-version"], "0.7.0");
  await seen(stream, update("limits"), "the limits");
  const types = stream.events.filter(({ id }) => id === undefined).map(({ type, data }) => `${type} ${data.surface?.id ?? data.observationId}`);
  assert.deepEqual(types, [
    "surface:register artifacts", "surface:register service",
    ...["recent_links", "encode_jobs", "stats", "encoder", "limits"].map((id) => `observation:update ${id}`),
  ]);
  stream.close();
  const one = await listen({ query: "?announce=1&surface=service" });
  await seen(one, update("limits"), "the limits");
  assert.ok(one.events.every(({ data }) => (data.surface?.id ?? data.surfaceId) === "service"));
  one.close();
});

test("a key is told what changes of its own, and nobody else is", async () => {
  const [mine, other] = [await listen(), await listen({ key: KEYS.other })];
  const { id } = await act(server, "artifacts.create_link", { artifact: report(), label: "told" });
  await seen(mine, update("recent_links", (links) => links[0]?.id === id && links[0].label === "told"), "the link");
  const requestId = randomUUID();
  assert.equal((await send(server, "artifacts.encode", { artifact: report() }, { id: requestId })).status, 202);
  const result = await seen(mine, ({ type, data }) => type === "action:result" && data.requestId === requestId, "the result");
  assert.deepEqual([result.data.success, result.data.interim, "index" in result.data], [true, false, false]);
  await seen(mine, update("encode_jobs", (jobs) => jobs.some((job) => job.requestId === requestId && job.status === "done")), "the job");
  // what REST makes for the key is seen too
  const made = await call(server, "POST", "/api/artifacts", { json: { payload: "pe30" }, key: KEYS.agent });
  await seen(mine, update("recent_links", (links) => links[0]?.id === made.body.id), "the link made by REST");
  assert.ok(!other.text.includes(id) && !other.text.includes(requestId) && !other.text.includes(made.body.id));
  const ids = mine.events.map(({ id }) => Number(id));
  assert.deepEqual(ids, [...ids].sort((a, b) => a - b));
  mine.close();
  other.close();
});

test("unchanged values are not told again, and changing ones at most ten times a second", async () => {
  const stream = await listen();
  for (let i = 0; i < 40; i++) await act(server, "artifacts.create_link", { artifact: report(`# ${i}\n`) });
  await until(() => stream.events.length > 3, "events");
  const values = {};
  for (const { data } of stream.events.filter(({ type }) => type === "observation:update")) {
    const key = `${data.surfaceId}.${data.observationId}`;
    (values[key] ??= []).push({ at: data.timestamp, text: JSON.stringify(data.value) });
  }
  for (const [key, list] of Object.entries(values))
    for (let i = 1; i < list.length; i++) {
      assert.notEqual(list[i].text, list[i - 1].text, key);
      assert.ok(list[i].at - list[i - 1].at >= 90, `${key}: ${list[i].at - list[i - 1].at} ms`);
    }
  stream.close();
});

test("who comes back gets what it missed, or is told to look again", async () => {
  const first = await listen();
  const { id } = await act(server, "artifacts.create_link", { artifact: report("# one\n") });
  const last = await seen(first, update("recent_links", (links) => links[0]?.id === id), "the link");
  first.close();
  const keeper = await listen();
  const second = await act(server, "artifacts.create_link", { artifact: report("# two\n") });
  await seen(keeper, update("recent_links", (links) => links[0]?.id === second.id), "the second link");
  keeper.close();
  const again = await listen({ headers: { "Last-Event-ID": last.id } });
  await seen(again, update("recent_links", (links) => links[0]?.id === second.id), "the replay");
  assert.ok(again.events.every(({ id }) => Number(id) > Number(last.id)));
  again.close();
  for (const old of ["1", "999999999999999999"]) {
    const lost = await listen({ headers: { "Last-Event-ID": old } });
    await seen(lost, ({ type }) => type === "x-resync", `x-resync after ${old}`);
    lost.close();
  }
});

test("who may listen, and to what", async () => {
  for (const [options, status] of [[{ key: null }, 401], [{ key: KEYS.judge }, 403], [{ query: "?surface=x" }, 400], [{ query: "?announce=2" }, 400]]) {
    const stream = await listen(options);
    assert.equal(stream.status, status);
    stream.close();
  }
});

test("without keys only the service is told of", async () => {
  const open = await startServer();
  const stream = await listen({ on: open, key: null, query: "?announce=1" });
  await act(open, "artifacts.create_link", { artifact: report() }, { key: null });
  await send(open, "artifacts.encode", { artifact: report() }, { key: null });
  // a count that took long is kept for a while
  await until(() => stream.events.find(update("stats", ({ links }) => links === 1)), "the totals", 120_000);
  assert.ok(stream.events.every(({ type, data }) => type === "surface:register" || data.surfaceId === "service"));
  stream.close();
  await open.stop();
});

test("a stop ends every stream, in words", async () => {
  const own = await startKeyed();
  const streams = await Promise.all(Array.from({ length: 5 }, () => listen({ on: own })));
  await own.stop();
  for (const stream of streams) {
    await until(() => stream.ended, "the end");
    assert.deepEqual(stream.events.slice(-2).map(({ type, data }) => `${type} ${data.surfaceId}`), ["surface:deregister artifacts", "surface:deregister service"]);
  }
});
