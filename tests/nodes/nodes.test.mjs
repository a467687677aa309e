/*
 * Two arxd on one PostgreSQL: what one does the other sees, nothing is done twice, and neither a
 * node that is killed nor a database that restarts or stands still loses what was answered.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startDetour, startPostgres } from "./postgres.mjs";

let postgres, h, c, d, agents;
let a, b;
before(async () => {
  postgres = await startPostgres();
  process.env.ARXD_TEST_POSTGRES = postgres.url; // before these are loaded: they look there
  h = await import("../http/harness.mjs");
  c = await import("../http/calls.mjs");
  d = await import("../http/database.mjs");
  agents = await import("../http/agents.mjs");
  a = await h.startServer();
  b = await h.startServer({ db: a.db });
});
after(async () => {
  await a?.stop();
  await b?.stop();
  await postgres?.stop();
});

const heavy = (seed) => ({
  kind: "markdown",
  content: Array.from({ length: 16_000 }, (_, i) => `w${((i + seed) * 7919) % 99_991}`).join(" "),
});
const countRows = (db) => Number(d.sql(db, "SELECT count(*) FROM artifacts;"));

test("a link made by one is served, changed and deleted by the other at once", async () => {
  for (let i = 0; i < 30; i++) {
    const [one, other] = i % 2 ? [a, b] : [b, a];
    const { id, edit_key } = await one.create({ envelope: c.note(`# ${i}\n`) });
    assert.equal(await c.want(200, other, "GET", `/${id}/raw`), `# ${i}\n`);
    await c.want(200, other, "PUT", `/api/artifacts/${id}`, { json: { envelope: c.note("changed") }, key: edit_key });
    assert.equal(await c.want(200, one, "GET", `/${id}/raw`), "changed");
    await c.want(200, one, "DELETE", `/api/artifacts/${id}`, { key: edit_key });
    assert.equal((await c.call(other, "GET", `/api/artifacts/${id}`)).status, 404);
  }
});

test("one Idempotency-Key on both nodes at once: one link, one answer", async () => {
  const before = countRows(a.db);
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const headers = { "Idempotency-Key": `sent-to-both-nodes-${i}` };
      const answers = await Promise.all(
        [a, b, a, b].map((node) => c.call(node, "POST", "/api/artifacts", { json: { payload: `p${i}` }, headers })),
      );
      for (const { status, text } of answers) {
        assert.equal(status, 201, text);
        assert.equal(text.replaceAll(/127\.0\.0\.1:\d+/g, ""), answers[0].text.replaceAll(/127\.0\.0\.1:\d+/g, ""));
      }
    }),
  );
  assert.equal(countRows(a.db), before + 40);
});

test("a request id and an approval sent to both nodes at once: each is used once", async () => {
  const { KEYS, send } = agents;
  const one = await agents.startKeyed();
  const two = await agents.startKeyed({ db: one.db });
  const everywhere = (action, params, options) => Promise.all([one, two, one, two].map((node) => send(node, action, params, options)));
  const before = countRows(one.db);
  for (let i = 0; i < 8; i++) {
    const answers = await everywhere("artifacts.create_link", { artifact: { kind: "markdown", content: `# ${i}\n` }, label: `${i}` }, { id: randomUUID() });
    assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 200]);
    assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1);
  }
  assert.equal(countRows(one.db), before + 8);

  // Several links that have run out, and an approval to remove some of them: every call is another, the approval is one.
  const made = await Promise.all(Array.from({ length: 8 }, (_, i) => c.want(201, one, "POST", "/api/artifacts", { json: { payload: `p${i}` }, key: KEYS.agent })));
  d.sql(one.db, `UPDATE lifetimes SET expires_at = 1, expires_slot = 0 WHERE id IN (${made.map(({ id }) => `'${id}'`)});`);
  const params = { expired_before: Date.now(), limit: 1 };
  const asked = [await send(one, "artifacts.cleanup", params), await send(two, "artifacts.cleanup", params)];
  const details = asked.map(({ body }) => body.error.details);
  assert.equal(new Set(details.map(({ approvalId }) => approvalId)).size, 1, "the other node knows that it was asked for");
  const decided = await Promise.all([one, two].map((node) =>
    c.call(node, "POST", `/oui/approvals/${details[0].approvalId}/decide`, { json: { decision: "approve" }, key: KEYS.judge })));
  assert.ok(decided.some(({ status }) => status === 200), JSON.stringify(decided.map(({ status }) => status)));
  const approval = { approvalId: details[0].approvalId, argsHash: details[0].argsHash };
  const used = await everywhere("artifacts.cleanup", params, { more: { approval } });
  assert.equal(used.filter(({ body }) => body.success).length, 1, JSON.stringify(used.map(({ body }) => body)));
  for (const { body } of used.filter(({ body }) => !body.success)) assert.equal(body.error.code, "APPROVAL_REQUIRED");
  assert.equal(countRows(one.db), before + 8 + 7, "one link was removed");
  await one.stop();
  await two.stop();
});

test("max_views are counted once, whichever node is asked", async () => {
  const { id } = await a.create({ payload: "pe30", max_views: 25 });
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => c.call(i % 2 ? a : b, "GET", `/api/artifacts/${id}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 25);
  assert.equal(answers.filter(({ status }) => status === 404).length, 35);
});

test("an encode job is answered on either node, and its link is there", async () => {
  const { job } = await c.want(202, a, "POST", "/encode", { json: { artifact: heavy(1), async: true, store: true } });
  const done = await h.until(async () => {
    const state = await b.getJson(`/encode/jobs/${job}`);
    assert.ok(["queued", "running", "done"].includes(state.status), state.status);
    return state.status === "done" && state;
  }, "the job to end", 60_000);
  assert.deepEqual(done, await a.getJson(`/encode/jobs/${job}`));
  assert.equal(done.progress, 100);
  assert.equal((await b.getJson(`/api/artifacts/${done.result.artifact.id}`)).payload, done.result.fragment);
  assert.equal((await c.call(b, "GET", `/encode/jobs/${c.UNKNOWN_ID}`)).status, 404);
});

test("an encode job is cancelled on either node, and then stores nothing", async () => {
  const before = countRows(a.db);
  const jobs = [];
  for (let i = 0; i < 6; i++)
    jobs.push((await c.want(202, a, "POST", "/encode", { json: { artifact: heavy(10 + i), async: true, store: true } })).job);
  let cancelled = 0;
  for (const job of jobs.reverse()) {
    const { status } = await c.want(200, b, "DELETE", `/encode/jobs/${job}`);
    assert.ok(["cancelled", "done"].includes(status), status);
    cancelled += status === "cancelled";
    for (const node of [b, a]) assert.equal((await node.getJson(`/encode/jobs/${job}`)).status, status, "on both nodes");
  }
  assert.ok(cancelled >= 3, `${cancelled} of 6 were still to be cancelled`);
  await h.until(async () => (await Promise.all(jobs.map((job) => a.getJson(`/encode/jobs/${job}`)))).every(({ status }) => ["done", "cancelled"].includes(status)), "all to end", 60_000);
  await h.sleep(300);
  assert.equal(countRows(a.db), before + 6 - cancelled);
});

test("sweeps on both nodes at once count each link once", async () => {
  const made = await Promise.all(Array.from({ length: 120 }, (_, i) => (i % 2 ? a : b).create("pe30")));
  d.sql(a.db, `UPDATE lifetimes SET expires_at = 1, expires_slot = 0 WHERE id IN (${made.map(({ id }) => `'${id}'`)});`);
  const swept = await Promise.all([a, b, a, b].map((node) => c.want(200, node, "POST", "/api/cleanup")));
  assert.equal(swept.reduce((sum, { deleted }) => sum + deleted, 0), 120);
});

/** Makes links on these nodes until told to stop; what was answered. */
function load(nodes) {
  const said = { made: [], busy: 0, cut: 0, other: [] };
  let on = true;
  const loops = nodes.flatMap((node) =>
    Array.from({ length: 4 }, async (_, worker) => {
      for (let i = 0; on; i++) {
        const payload = `p${node.port}-${worker}-${i}`;
        const answer = await c.call(node, "POST", "/api/artifacts", { json: { payload } }).catch(() => null);
        if (answer === null) said.cut++;
        else if (answer.status === 201) said.made.push({ id: answer.body.id, payload });
        else if (answer.status === 503 && answer.headers["retry-after"]) said.busy++;
        else said.other.push(`${answer.status} ${answer.text}`);
        if (answer?.status !== 201) await h.sleep(20);
      }
    }),
  );
  /* It is under way once every node has made some. */
  const under = h.until(() => nodes.every((node) => said.made.filter(({ payload }) => payload.startsWith(`p${node.port}-`)).length > 5), "links", 60_000);
  const stop = async () => {
    on = false;
    await Promise.all(loops);
    return said;
  };
  return { under, stop };
}
async function mustHold(node, made) {
  for (const { id, payload } of made) assert.equal((await node.getJson(`/api/artifacts/${id}`)).payload, payload);
}

test("a node that is killed takes nothing with it that was answered", async () => {
  for (let round = 0; round < 3; round++) {
    const doomed = await h.startServer({ db: a.db });
    const { under, stop } = load([doomed, a]);
    await under;
    await h.sleep(100 * round);
    await doomed.kill();
    const said = await stop();
    assert.deepEqual(said.other, []);
    assert.equal(said.busy, 0);
    await mustHold(b, said.made);
  }
});

test("a database that restarts: 503 with Retry-After, then on as before", async () => {
  for (const mode of ["fast", "immediate"]) {
    const { under, stop } = load([a, b]);
    await under;
    postgres.restart(mode);
    await h.until(async () => (await c.call(a, "POST", "/api/artifacts", { json: { payload: "pe30" } })).status === 201, "node a", 30_000);
    await h.until(async () => (await c.call(b, "POST", "/api/artifacts", { json: { payload: "pe30" } })).status === 201, "node b", 30_000);
    const said = await stop();
    assert.deepEqual(said.other, []);
    assert.equal(said.cut, 0, "no arxd went");
    for (const node of [a, b]) {
      assert.equal((await c.call(node, "GET", "/health")).status, 200);
      await mustHold(node, said.made.slice(-50));
      for (const line of node.output.trim().split("\n").filter(Boolean)) {
        assert.match(line, /database postgresql:\/\/arxd@127\.0\.0\.1:\d+\//);
        assert.ok(!line.includes(new URL(postgres.url).password), "no password is shown");
      }
      node.output = ""; // the operator was told
    }
    await mustHold(a, said.made);
  }
});

test("a database that stands still holds up neither pages nor encodes", async () => {
  const detour = await startDetour(postgres.url);
  const node = await h.startServer({ db: `${detour.url}/${a.db.split("/").pop()}` });
  const { id } = await node.create("pe30");
  detour.pause();
  let answered = 0;
  const waiting = Array.from({ length: 20 }, (_, i) =>
    (i % 2 ? c.call(node, "GET", `/api/artifacts/${id}`) : c.call(node, "POST", "/api/artifacts", { json: { payload: "pe30" } }))
      .finally(() => answered++),
  );
  for (let i = 0; i < 20; i++) {
    await c.want(200, node, "GET", "/arx-dictionary.json");
    await c.want(200, node, "POST", "/encode", { json: { envelope: c.note(`still ${i}`) } });
  }
  assert.equal(answered, 0, "forty answers came while the database gave none");
  detour.resume();
  for (const { status } of await Promise.all(waiting)) assert.ok([200, 201, 503].includes(status), String(status));
  await c.want(200, node, "GET", `/api/artifacts/${id}`);
  node.output = "";
  await node.stop();
  detour.close();
});
