/* Links that can be opened so many times: what counts, what does not, what is left. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, note, sql, want } from "./calls.mjs";
import { artifactIs, lifetimeIs, payloadOf } from "./database.mjs";
import { assertError, startServer } from "./harness.mjs";

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const CONTENT = "# For your eyes\n";
const limited = (max_views, more = {}) => server.create({ envelope: note(CONTENT, { title: "Eyes" }), max_views, ...more });
const spent = async (id) =>
  assertError(await call(server, "GET", `/api/artifacts/${id}`), 404, "Artifact not found or expired.");
const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8" };

test("the page has a button and no payload, and never counts", async () => {
  const { id } = await limited(1);
  const payload = payloadOf(server.db, id);
  for (const headers of [BROWSER, {}, { Accept: "text/markdown" }, { Accept: "application/json" }, { Accept: "text/plain" }])
    for (const method of ["GET", "HEAD", "GET"]) {
      const page = await call(server, method, `/${id}`, { headers });
      assert.equal(page.status, 200);
      assert.match(page.headers["content-type"], /^text\/html/);
      if (method === "HEAD") continue;
      assert.ok(!page.text.includes(payload) && !page.text.includes("For your eyes"), page.text);
      assert.match(page.text, new RegExp(`<form method="post" action="/${id}/view"><button>[^<]+</button></form>`));
      assert.ok(!/<script/i.test(page.text));
      assert.match(page.text, /once more/);
      assert.match(page.text, /<meta property="og:title" content="Eyes">/);
    }
  for (const target of [`/api/artifacts/${id}`, `/${id}/raw`]) await call(server, "HEAD", target);
  assert.equal(await want(200, server, "GET", `/${id}/raw`), CONTENT, "the one view is still there");
  await spent(id);
});

test("each way of opening it counts one", async () => {
  const { id } = await limited(6);
  const views = async () => sql(server.db, `SELECT views FROM lifetimes WHERE ${lifetimeIs(id)};`);
  const row = await want(200, server, "GET", `/api/artifacts/${id}`);
  assert.equal(row.views, 1);
  assert.equal(await want(200, server, "GET", `/${id}/raw`), CONTENT);
  assert.equal(await want(200, server, "GET", `/${id}/raw/note`), CONTENT);
  assert.equal(await views(), "3");
  const page = await call(server, "POST", `/${id}/view`, { headers: BROWSER, body: "" });
  assert.equal(page.status, 200);
  assert.match(page.text, /data-payload="[^"]+"/);
  assert.ok(page.text.includes(row.payload));
  assert.match(page.headers["content-security-policy"], /require-trusted-types-for/);
  assert.equal(page.headers["cache-control"], "no-store");
  const json = await want(200, server, "POST", `/${id}/view`, { headers: { Accept: "application/json" } });
  assert.equal(json.payload, row.payload);
  assert.equal(json.views, 5);
  assert.match((await call(server, "GET", `/${id}`)).text, /once more/);
  const text = await call(server, "POST", `/${id}/view`, { headers: { Accept: "text/markdown" } });
  assert.equal(text.text, CONTENT);
  assert.match(text.headers["content-type"], /^text\/markdown/);
  await spent(id);
  for (const [method, target] of [["GET", `/${id}`], ["POST", `/${id}/view`], ["GET", `/${id}/raw`], ["HEAD", `/${id}/raw`]])
    assert.equal((await call(server, method, target)).status, 404, `${method} ${target}`);
  assert.equal(sql(server.db, `SELECT count(*) FROM artifacts WHERE ${artifactIs(id)};`), "0", "a spent row is removed");
});

test("many at once never get more than there are", async () => {
  for (const max_views of [1, 7]) {
    const { id } = await limited(max_views);
    const ways = [
      ["GET", `/api/artifacts/${id}`],
      ["GET", `/${id}/raw`],
      ["POST", `/${id}/view`],
    ];
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => call(server, ...ways[i % 3])));
    assert.equal(answers.filter(({ status }) => status === 200).length, max_views);
    assert.ok(answers.every(({ status }) => status === 200 || status === 404));
  }
});

test("what cannot be shown is not counted", async () => {
  const { id } = await limited(1);
  assert.equal((await call(server, "GET", `/${id}/raw/nobody`)).status, 404);
  assert.equal(await want(200, server, "GET", `/${id}/raw`), CONTENT);
  const broken = await server.create({ payload: "zzz", max_views: 1 });
  assert.equal((await call(server, "GET", `/${broken.id}/raw`)).status, 422);
  assert.equal((await want(200, server, "GET", `/api/artifacts/${broken.id}`)).payload, "zzz");
});

test("views of a link without a limit: /view is not for it", async () => {
  const { id } = await server.create({ envelope: note("x") });
  const json = await call(server, "POST", `/${id}/view`, { headers: { Accept: "application/json" } });
  assert.equal(json.status, 409);
  assert.equal(json.body.code, "views-not-limited");
  assert.equal((await call(server, "POST", `/${id}/view`, { headers: BROWSER })).status, 409);
  assert.equal((await call(server, "GET", `/${id}/view`)).status, 405);
});

test("a limit survives a restart, and the maker can still delete", async () => {
  const own = await startServer();
  const made = await own.create({ envelope: note("x"), max_views: 2 });
  await want(200, own, "GET", `/${made.id}/raw`);
  await own.stop({ keep: true });
  const again = await startServer({ folder: own.folder });
  await want(200, again, "GET", `/${made.id}/raw`);
  assert.equal((await call(again, "GET", `/${made.id}/raw`)).status, 404);
  const other = await again.create({ envelope: note("x"), max_views: 2 });
  await want(200, again, "DELETE", `/api/artifacts/${other.id}`, { key: other.edit_key });
  await again.stop();
});
