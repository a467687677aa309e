/* Short links: what create accepts and refuses, the row, its lifetime. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expire, lifetimeIs, sql } from "./database.mjs";
import { assertError, sleep, startServer, until } from "./harness.mjs";

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HOUR_MS = 3_600_000;

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const lifetimeOf = (id, column) =>
  Number(sql(server.db, `SELECT ${column} FROM lifetimes WHERE ${lifetimeIs(id)};`));

const base64urlOf = (id) => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");

test("create answers 201 with the links", async () => {
  const before = Date.now();
  const made = await server.post("/api/artifacts", { payload: "peyJ4IjoxfQ" });
  const after = Date.now();
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(made.headers.get("cache-control"), "no-store");
  const { id, expires_at, url, short_url, raw_url, markdown_link } = made.body;
  assert.match(id, UUID4);
  assert.match(expires_at, ISO_MS);
  const left = Date.parse(expires_at) - 24 * HOUR_MS;
  assert.ok(left >= before - 1 && left <= after + 1, expires_at);
  assert.equal(url, `${server.origin}/${id}`);
  assert.equal(short_url, `${server.origin}/${base64urlOf(id)}`);
  assert.ok([`${url}/raw`, `${short_url}/raw`].includes(raw_url), raw_url);
  assert.match(markdown_link, /^\[.*\]\(.*\)$/);
  assert.ok(markdown_link.includes(url) || markdown_link.includes(short_url), markdown_link);
  assert.equal(made.body.codec, "plain");
});

test("links are built on Host", async () => {
  const answer = await server.request("POST", "/api/artifacts", {
    headers: { Host: "links.example:8443" },
    body: '{"payload":"pe30"}',
  });
  assert.equal(new URL(JSON.parse(answer.text).url).host, "links.example:8443");
});

const INVALID_BODY = "Invalid request body.";
const NOT_A_STRING = "Payload must be a string.";
const bytes = (...parts) => Buffer.concat(parts.map((p) => (typeof p === "string" ? Buffer.from(p) : Buffer.from(p))));

const REFUSED = [
  ["empty body", "", INVALID_BODY],
  ["blank body", "  \n", INVALID_BODY],
  ["not JSON", "payload=x", INVALID_BODY],
  ["cut short", '{"payload":"a"', INVALID_BODY],
  ["trailing text", '{"payload":"a"} x', INVALID_BODY],
  ["two values", '{"payload":"a"}{"payload":"b"}', INVALID_BODY],
  ["trailing comma", '{"payload":"a",}', INVALID_BODY],
  ["single quotes", "{'payload':'a'}", INVALID_BODY],
  ["a byte order mark", bytes([0xef, 0xbb, 0xbf], '{"payload":"a"}'), INVALID_BODY],
  ["byte ff", bytes('{"payload":"', [0xff], '"}'), INVALID_BODY],
  ["overlong UTF-8", bytes('{"payload":"', [0xc0, 0xaf], '"}'), INVALID_BODY],
  ["a surrogate as UTF-8", bytes('{"payload":"', [0xed, 0xa0, 0x80], '"}'), INVALID_BODY],
  ["UTF-8 cut short", bytes('{"payload":"', [0xe2, 0x82], '"}'), INVALID_BODY],
  ["UTF-16", Buffer.from('{"payload":"a"}', "utf16le"), INVALID_BODY],
  ["a raw control character", '{"payload":"a\u0001"}', INVALID_BODY],
  ["a raw line feed", '{"payload":"a\nb"}', INVALID_BODY],
  ["a raw NUL", '{"payload":"a\0b"}', INVALID_BODY],
  ["a NUL after the value", '{"payload":"a"}\0', INVALID_BODY],
  ["U+0000 in payload", '{"payload":"a\\u0000b"}', INVALID_BODY],
  ["U+0000 in a key", '{"payload":"a","x\\u0000":1}', INVALID_BODY],
  ["a lone high surrogate", '{"payload":"\\ud800"}', INVALID_BODY],
  ["a lone low surrogate", '{"payload":"x\\udc00"}', INVALID_BODY],
  ["1e999", '{"payload":"a","x":1e999}', INVALID_BODY],
  ["513 levels", `{"payload":"a","x":${"[".repeat(512)}${"]".repeat(512)}}`, INVALID_BODY],
  ["2,048 levels", `{"payload":"a","x":${"[".repeat(2047)}${"]".repeat(2047)}}`, INVALID_BODY],
  ["2,049 levels", `{"payload":"a","x":${"[".repeat(2048)}${"]".repeat(2048)}}`, INVALID_BODY],
  ["100,000 brackets", "[".repeat(100_000), INVALID_BODY],
  ["100,000 objects", '{"x":'.repeat(100_000), INVALID_BODY],
  ["null", "null", NOT_A_STRING],
  ["an array", "[]", NOT_A_STRING],
  ["an array with a payload", '[{"payload":"a"}]', NOT_A_STRING],
  ["a number", "5", NOT_A_STRING],
  ["a string", '"x"', NOT_A_STRING],
  ["true", "true", NOT_A_STRING],
  ["an empty object", "{}", NOT_A_STRING],
  ["payload null", '{"payload":null}', NOT_A_STRING],
  ["payload a number", '{"payload":1}', NOT_A_STRING],
  ["payload an object", '{"payload":{}}', NOT_A_STRING],
  ["payload an array", '{"payload":["a"]}', NOT_A_STRING],
  ["payload with another case", '{"Payload":"a"}', NOT_A_STRING],
  ["duplicate key, last is no string", '{"payload":"a","payload":1}', NOT_A_STRING],
  ["an empty payload", '{"payload":""}', "Payload must not be empty."],
  ["a bare hash", '{"payload":"#"}', "Payload must not be empty."],
  [
    "500,001 units",
    JSON.stringify({ payload: "a".repeat(500_001) }),
    "Payload exceeds the maximum allowed length of 500,000 characters.",
  ],
  [
    "250,001 characters of two units",
    JSON.stringify({ payload: "\u{1f6a2}".repeat(250_001) }),
    "Payload exceeds the maximum allowed length of 500,000 characters.",
  ],
];
for (const [name, body, text] of REFUSED)
  test(`create refuses ${name}`, async () => {
    assertError(await server.post("/api/artifacts", body), 400, text);
  });

const ACCEPTED = [
  ["one character", "a"],
  ["500,000 units", "a".repeat(500_000)],
  ["250,000 characters of two units", "\u{1f6a2}".repeat(250_000)],
  ["500,000 units of three bytes", "\u4e16".repeat(500_000)],
  ["text that ends script elements", "</script></SCRIPT ><!--<script>-->"],
  ["template text", "$$ $& $' $` ${x} %s %n {{x}}"],
  ["quotes and backslashes", "\"'\\\\\"&amp;&lt;"],
  ["separators and controls", "\u2028\u2029\u007f\u0080\t\r\n\u001f\ufeff\ufffd\uffff"],
  ["an emoji with joiners", "\u{1f469}\u200d\u{1f4bb}\u{10ffff}"],
  ["SQL", "'; DROP TABLE artifacts; --"],
];
for (const [name, payload] of ACCEPTED)
  test(`create keeps ${name} exactly`, async () => {
    const { id } = await server.create(payload);
    assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, payload);
  });

test("create drops one leading hash", async () => {
  const { id } = await server.create("#pe30");
  assert.equal((await server.getJson(`/api/artifacts/${id}`)).payload, "pe30");
  const again = await server.create("##pe30");
  assert.equal((await server.getJson(`/api/artifacts/${again.id}`)).payload, "#pe30");
});

test("create: the last of duplicate keys counts, unknown fields and escapes are fine", async () => {
  const made = await server.post("/api/artifacts", '{"payload":1,"payload":"\\u0070\\/","more":{"x":[1]}}');
  assert.equal(made.status, 201, made.text);
  assert.equal((await server.getJson(`/api/artifacts/${made.body.id}`)).payload, "p/");
  const deep = `{"payload":"a","x":${"[".repeat(511)}${"]".repeat(511)}}`;
  assert.equal((await server.post("/api/artifacts", deep)).status, 201);
});

test("create does not care about Content-Type", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    const made = await server.post("/api/artifacts", '{"payload":"a"}', { "Content-Type": type });
    assert.equal(made.status, 201, type);
  }
});

test("text of an envelope is kept whole; what is no character is replaced, and told", async () => {
  const wrap = (content) => `{"v":1,"codec":"plain","artifacts":[{"id":"a","kind":"markdown","title":"T\\u0000","content":"${content}"}]}`;
  for (const member of ["envelope", "artifact"])
    for (const [content, text, warned] of [
      ["a\\u0000b\\u007f\\u2028", "a\0b\u007f\u2028", 0],
      ["cut \\ud83d", "cut \ufffd", 1],
      ["\\udea2 cut, whole \\ud83d\\udea2", "\ufffd cut, whole \u{1f6a2}", 1],
    ]) {
      const value = member === "envelope" ? wrap(content) : `{"kind":"markdown","content":"${content}"}`;
      const made = await server.post("/api/artifacts", `{"${member}":${value}}`);
      assert.equal(made.status, 201, made.text);
      assert.equal(made.body.warnings.length, warned, content);
      const raw = await server.fetch(`/${made.body.id}/raw`);
      assert.equal(await raw.text(), text);
      const put = await server.fetch(`/api/artifacts/${made.body.id}`, {
        method: "PUT",
        headers: { Authorization: `Bearer ${made.body.edit_key}` },
        body: `{"envelope":${wrap(content)}}`,
      });
      assert.equal(put.status, 200);
      assert.equal(await (await server.fetch(`/${made.body.id}/raw`)).text(), text);
    }
});

test("the row has exactly its fields", async () => {
  const { id, expires_at } = await server.create("pe30");
  const answer = await server.request("GET", `/api/artifacts/${id}`);
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.equal(answer.headers["x-robots-tag"], "noindex");
  const row = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(row).sort(), [
    "asset_set",
    "codec",
    "created_at",
    "expires_at",
    "id",
    "kind",
    "last_viewed_at",
    "payload",
    "title",
    "ttl_seconds",
    "updated_at",
    "views",
  ]);
  assert.equal(row.id, id);
  assert.equal(row.payload, "pe30");
  for (const name of ["created_at", "updated_at", "last_viewed_at", "expires_at"])
    assert.match(row[name], ISO_MS, name);
  assert.equal(row.created_at, row.updated_at);
  assert.ok(row.expires_at >= expires_at);
  assert.equal(row.codec, "plain");
  assert.equal(row.asset_set, null, "a ready payload does not say its set");
  assert.equal(row.ttl_seconds, 24 * 3600);
  assert.equal(typeof row.views, "number");
});

test("a row made from an envelope knows its codec, set, kind and title", async () => {
  const envelope = {
    v: 1,
    codec: "plain",
    title: "Two of them",
    activeArtifactId: "b",
    artifacts: [
      { id: "a", kind: "markdown", title: "First", content: "# a" },
      { id: "b", kind: "code", title: "Second", content: "int b;", language: "c" },
    ],
  };
  const made = await server.create({ envelope });
  const row = await server.getJson(`/api/artifacts/${made.id}`);
  const { active } = await server.getJson("/assets/index.json");
  assert.equal(row.codec, made.codec);
  assert.equal(row.asset_set, active);
  assert.equal(row.kind, "code");
  assert.equal(row.title, "Second");
  const decoded = await server.post("/decode", { fragment: row.payload });
  assert.equal(decoded.status, 200, decoded.text);
  assert.deepEqual(decoded.body.envelope.artifacts, envelope.artifacts);
  assert.equal(decoded.body.envelope.activeArtifactId, "b");
});

test("an envelope that is none is refused", async () => {
  for (const envelope of [null, 5, "x", [], {}, { v: 1, codec: "plain", artifacts: [] }]) {
    const made = await server.post("/api/artifacts", { envelope });
    assert.ok([400, 422].includes(made.status), `${JSON.stringify(envelope)}: ${made.status}`);
    assert.equal(typeof made.body.code, "string");
  }
});

test("ids in other spellings", async () => {
  const { id } = await server.create("pe30");
  const short = base64urlOf(id);
  for (const spelling of [id.toUpperCase(), short]) {
    assert.equal((await server.getJson(`/api/artifacts/${spelling}`)).id, id, spelling);
    assert.equal((await server.request("GET", `/${spelling}`)).status, 200, spelling);
  }
  const next = { A: "B", Q: "R", g: "h", w: "x" }[short.at(-1)];
  for (const spelling of [
    `{${id}}`,
    id.replaceAll("-", ""),
    ` ${id}`,
    `${id}x`,
    id.slice(0, -1),
    `urn:uuid:${id}`,
    short.slice(0, -1) + next,
    `${short}==`,
    id.replace("-", "_"),
    "0".repeat(36),
  ]) {
    const answer = await server.request("GET", `/api/artifacts/${encodeURIComponent(spelling)}`);
    assert.equal(answer.status, 404, spelling);
  }
});

test("unknown rows", async () => {
  const answer = await server.request("GET", "/api/artifacts/3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab");
  assertError(answer, 404, "Artifact not found or expired.");
});

test("a read moves expires_at and last_viewed_at, and nothing else", async () => {
  const { id } = await server.create("pe30");
  const first = lifetimeOf(id, "expires_at");
  await sleep(30);
  const read = Date.now();
  const row = await server.getJson(`/api/artifacts/${id}`);
  const moved = await until(() => {
    const now = lifetimeOf(id, "expires_at");
    return now > first && now;
  }, "the refresh to be written", 5000);
  assert.ok(moved >= read + 24 * HOUR_MS - 5, "expires_at is the read's time and the TTL");
  assert.ok(lifetimeOf(id, "last_viewed_at") >= read - 5);
  const later = await server.getJson(`/api/artifacts/${id}`);
  assert.ok(Date.parse(later.expires_at) >= moved, "the row shows it");
  assert.equal(later.created_at, row.created_at);
  assert.equal(later.updated_at, row.updated_at);
});

test("HEAD refreshes nothing", async () => {
  const { id } = await server.create("pe30");
  const first = ["expires_at", "last_viewed_at", "views"].map((column) => lifetimeOf(id, column));
  for (const target of [`/api/artifacts/${id}`, `/${id}`, `/${id}/raw`])
    await server.request("HEAD", target);
  await sleep(1500);
  assert.deepEqual(
    ["expires_at", "last_viewed_at", "views"].map((column) => lifetimeOf(id, column)),
    first,
  );
});

test("an expired row is gone for every route", async () => {
  const { id } = await server.create("pe30");
  expire(server.db, id);
  assertError(await server.request("GET", `/api/artifacts/${id}`), 404, "Artifact not found or expired.");
  for (const target of [`/${id}`, `/${id}/raw`])
    assert.equal((await server.request("GET", target)).status, 404, target);
});

test("ids are never repeated and all of version 4", async () => {
  const seen = new Set();
  for (let round = 0; round < 20; round++)
    for (const { id } of await Promise.all(Array.from({ length: 20 }, () => server.create("a")))) {
      assert.match(id, UUID4);
      seen.add(id);
    }
  assert.equal(seen.size, 400);
});
