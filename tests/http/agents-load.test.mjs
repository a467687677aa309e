/*
 * Many agents at once, with the server killed and started again in the middle: each request id runs
 * once, and every result arrives. AGENTS and ROUNDS make it longer.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { test } from "node:test";
import { act, KEYS, send, startKeyed } from "./agents.mjs";
import { sql } from "./calls.mjs";
import { IS_SANITIZED, sleep } from "./harness.mjs";

const AGENTS = Number(process.env.AGENTS ?? 64);
const ROUNDS = Number(process.env.ROUNDS ?? (IS_SANITIZED ? 3 : 8));

test(`${AGENTS} agents make and read ${ROUNDS} links each, exactly once, through a kill`, async () => {
  const args = ["--max-per-address", "0"];
  let server = await startKeyed({ args });
  let done = 0, repeats = 0;

  /** Sends until it is answered, as an agent does whose connection broke: under the same id. */
  const persist = async (action, params, id) => {
    for (let attempt = 0; ; attempt++) {
      const answer = await send(server, action, params, { id }).catch(() => null);
      if (answer?.status === 200) return answer.body;
      assert.ok(answer === null || [202, 503].includes(answer.status), answer?.text);
      assert.ok(attempt < 400, `no answer for ${id}`);
      repeats++;
      await sleep(50);
    }
  };
  const agent = async (n) => {
    const made = [];
    for (let i = 0; i < ROUNDS; i++) {
      const content = `# Agent ${n}, link ${i}\n`;
      const id = randomUUID();
      const created = await persist("artifacts.create_link", { artifact: { kind: "markdown", content }, label: `${n}-${i}` }, id);
      assert.equal(created.success, true, JSON.stringify(created.error));
      const read = await persist("artifacts.read", { id: created.data.id }, randomUUID());
      assert.equal(read.data?.text, content, JSON.stringify(read.error));
      made.push({ id, params: { artifact: { kind: "markdown", content }, label: `${n}-${i}` }, data: created.data });
      done++;
    }
    return made;
  };
  const agents = Array.from({ length: AGENTS }, (_, n) => agent(n));
  while (done < (AGENTS * ROUNDS) / 3) await sleep(10);
  await server.kill();
  server = await startKeyed({ args, folder: server.folder });
  const made = (await Promise.all(agents)).flat();
  assert.equal(made.length, AGENTS * ROUNDS);

  assert.equal(new Set(made.map(({ data }) => data.id)).size, made.length, "no two requests share a link");
  assert.equal(Number(sql(server.db, "SELECT count(*) FROM artifacts;")), made.length, "no request ran twice");
  assert.equal(Number(sql(server.db, "SELECT count(DISTINCT label) FROM lifetimes;")), made.length);
  for (const { id, params, data } of made.slice(0, 20)) assert.deepEqual(await act(server, "artifacts.create_link", params, { id }), data);
  console.log(`# ${made.length} links, ${repeats} requests sent again`);
  await server.stop();
});

const tooMuch = IS_SANITIZED && "sanitizers need more memory";
test("500 listeners take less than 30 MB", { skip: tooMuch }, async () => {
  // one worker, which has its model's memory from the first link on
  const server = await startKeyed({ args: ["--max-per-address", "0", "--workers", "1"] });
  const resident = () => Number(fs.readFileSync(`/proc/${server.child.pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]) / 1024;
  await act(server, "artifacts.create_link", { artifact: { kind: "markdown", content: "# x\n" } });
  const before = resident();
  const streams = [];
  for (let i = 0; i < 500; i++) {
    const stop = new AbortController();
    const answer = await fetch(`${server.origin}/oui/events`, { headers: { Authorization: `Bearer ${KEYS.agent}` }, signal: stop.signal });
    assert.equal(answer.status, 200);
    const state = { stop, told: false };
    streams.push(state);
    (async () => {
      for await (const piece of answer.body) state.told ||= Buffer.from(piece).includes("recent_links");
    })().catch(() => {});
  }
  const { id } = await act(server, "artifacts.create_link", { artifact: { kind: "markdown", content: "# told\n" } });
  for (let i = 0; i < 300 && !streams.every(({ told }) => told); i++) await sleep(50);
  assert.ok(streams.every(({ told }) => told), `all were told of ${id}`);
  const grown = resident() - before;
  console.log(`# ${grown.toFixed(1)} MB for 500 listeners`);
  assert.ok(grown < 30, `${grown} MB`);
  for (const { stop } of streams) stop.abort();
  await sleep(200);
  await server.stop();
});
