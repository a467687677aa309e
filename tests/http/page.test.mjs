/* The page of a short link and the artifact as plain text. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "./calls.mjs";
import { allEnvelopes, startServer } from "./harness.mjs";
import { PAYLOADS, payloadOf, unescape } from "./page.mjs";
import { hasLoneSurrogate } from "./vectors.mjs";

const UNKNOWN_ID = "3f0c6f4e-7a1b-4c2d-9e8f-0123456789ab";
const CSP =
  "default-src 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self'; form-action 'self'; " +
  "img-src 'self' data: blob:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
  "worker-src 'self' blob:; script-src 'self' 'wasm-unsafe-eval'";
const VIEWER_CSP = `${CSP}; require-trusted-types-for 'script'; trusted-types arxd dompurify`;

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

for (const [name, payload] of PAYLOADS)
  test(`the page carries ${name} exactly`, async () => {
    const { id } = await server.create(payload);
    const answer = await server.request("GET", `/${id}`);
    assert.equal(answer.status, 200);
    assert.equal(payloadOf(answer.text), payload);
    assert.equal(answer.headers["content-length"], String(answer.bytes.length));
    // what is not the link's own is the front page, to the byte
    const home = (await server.request("GET", "/")).text;
    const [before, middle, after] = home.split(/<title>arxd<\/title>|<div id="artifact" hidden><\/div>/);
    assert.ok(answer.text.startsWith(`${before}<title>`) && answer.text.endsWith(after) && answer.text.includes(middle));
    const scripts = (text) => text.match(/<script[^>]*>[^<]*/gi);
    assert.deepEqual(scripts(answer.text), scripts(home), "no script of the link's own");
    for (const script of scripts(home)) assert.match(script, /^<script( type="module")? src="page\/[^"]+">$/);
    const head = await server.request("HEAD", `/${id}`);
    assert.equal(head.status, 200);
    assert.equal(head.bytes.length, 0);
    assert.equal(head.headers["content-length"], answer.headers["content-length"]);
    assert.equal(head.headers["content-security-policy"], VIEWER_CSP);
  });

test("what the page is told of its link", async () => {
  const told = async (made, headers = {}) => {
    const { text } = await server.request("GET", `/${made.id}`, { headers });
    return Object.fromEntries([.../<div id="artifact" hidden([^>]*)>/.exec(text)[1].matchAll(/ (data-[a-z-]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name, value]));
  };
  const envelope = { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "csv", title: "T", content: "a" }] };
  const made = await server.create({ envelope });
  const row = await server.getJson(`/api/artifacts/${made.id}`);
  const attributes = await told(made);
  assert.equal(attributes["data-url"], `/${made.id}`);
  assert.equal(attributes["data-asset-set"], row.asset_set);
  assert.ok(Math.abs(Date.parse(attributes["data-expires"]) - Date.parse(row.expires_at)) < 60_000);
  assert.ok(!("data-limited" in attributes));
  assert.equal((await told(await server.create("pe30")))["data-asset-set"], undefined);
});

test("without scripts: to the text, unless that would count as a view", async () => {
  const made = await server.create("pe30");
  const { text } = await server.request("GET", `/${made.id}`);
  assert.ok(text.includes(`<noscript><meta http-equiv="refresh" content="0; url=/${made.id}/raw"></noscript>`));
  assert.ok(text.includes(`<noscript><p><a href="/${made.id}/raw">`));
  const limited = await server.create({ payload: "pe30", max_views: 2 });
  const counted = await server.request("POST", `/${limited.id}/view`);
  assert.equal(counted.status, 200);
  assert.ok(!counted.text.includes("/raw"));
  assert.match(counted.text, / data-limited data-payload="pe30">/);
  assert.ok(!(await server.request("GET", "/")).text.includes("/raw"));
});

test("the page's headers", async () => {
  const { id } = await server.create("pe30");
  const { headers } = await server.request("GET", `/${id}`);
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["x-robots-tag"], "noindex");
  assert.equal(headers["content-security-policy"], VIEWER_CSP);
});

test("titles are escaped", async () => {
  const title = `</title><img src=x onerror=alert(1)> "q" 'a' & $&`;
  const envelope = { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", title, content: "secret body" }] };
  const { id, markdown_link } = await server.create({ envelope });
  const { text } = await server.request("GET", `/${id}`);
  assert.ok(!text.includes("<img"), text);
  assert.ok(unescape(/<title>(.*?)<\/title>/s.exec(text.replaceAll("&ndash;", "-"))[1]).startsWith(title));
  assert.equal(unescape(/property="og:title" content="([^"]*)"/.exec(text)[1]), title);
  assert.ok(!text.includes("secret body"), "content is never in the head");
  assert.ok(markdown_link.startsWith(`[${title.replace(/[[\]\\]/g, "\\$&")}](`), markdown_link);
});

test("missing: a page that says so", async () => {
  const dark = (text) => {
    assert.match(text, /<html lang="en" data-theme="dark">/);
    assert.ok(!/<script/i.test(text));
  };
  for (const target of [`/${UNKNOWN_ID}`, "/AAAAAAAAAAAAAAAAAAAAAA"]) {
    const answer = await server.request("GET", target);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
    assert.match(answer.text, /<title>Artifact not found &ndash; arxd<\/title>[^]*<h1>Artifact not found<\/h1>/);
    dark(answer.text);
    assert.ok(answer.text.includes("This artifact has expired or does not exist."), answer.text);
    assert.ok(answer.headers["content-security-policy"]?.startsWith(CSP));
  }
});

test("a row that cannot be read: a page that says so", async () => {
  const own = await startServer();
  const { id } = await own.create("pe30");
  sql(own.db, "DROP TABLE artifacts; DROP TABLE lifetimes;");
  const answer = await own.request("GET", `/${id}`);
  assert.equal(answer.status, 500);
  assert.match(answer.text, /<h1>Server error<\/h1>\s*<p>Failed to render the artifact viewer\.<\/p>/);
  assert.match(answer.text, /<html lang="en" data-theme="dark">/);
  assert.ok(!/<script/i.test(answer.text));
  await own.kill();
});

test("the front page and robots.txt", async () => {
  const home = await server.request("GET", "/");
  assert.equal(home.status, 200);
  assert.equal(home.headers["content-type"], "text/html; charset=utf-8");
  assert.ok(home.headers["content-security-policy"].startsWith(CSP));
  const robots = await server.request("GET", "/robots.txt");
  assert.equal(robots.status, 200);
  assert.match(robots.headers["content-type"], /^text\/plain/);
  assert.match(robots.text, /^Disallow: \/api\/$/m);
});

test("raw gives every artifact of every envelope, byte for byte", async () => {
  let compared = 0;
  for (const { name, envelope } of allEnvelopes()) {
    if (hasLoneSurrogate(envelope)) continue;
    const { id } = await server.create({ envelope });
    const active = envelope.artifacts.find((a) => a.id === envelope.activeArtifactId) ?? envelope.artifacts[0];
    for (const [target, artifact] of [
      [`/${id}/raw`, active],
      ...envelope.artifacts.map((artifact) => [`/${id}/raw/${encodeURIComponent(artifact.id)}`, artifact]),
    ]) {
      const body = artifact.content ?? artifact.patch;
      if (body === undefined || /^\.*$/.test(artifact.id)) continue;
      const answer = await server.request("GET", target);
      assert.equal(answer.status, 200, `${name} ${target}: ${answer.text.slice(0, 100)}`);
      assert.ok(answer.bytes.equals(Buffer.from(body, "utf8")), `${name} ${target}`);
      compared++;
    }
  }
  assert.ok(compared > 80, `${compared} compared`);
});

test("raw's headers", async () => {
  const { id } = await server.create({
    envelope: { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "code", filename: "hello.c", content: "<b>int x;</b>\n" }] },
  });
  for (const [target, type] of [[`/${id}/raw`, "inline"], [`/${id}/raw?download`, "attachment"], [`/${id}/raw/a?download=1`, "attachment"]]) {
    const { headers, status } = await server.request("GET", target);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(headers["content-security-policy"], "sandbox; default-src 'none'");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-robots-tag"], "noindex");
    assert.equal(headers["content-disposition"], `${type}; filename="hello.c"`);
  }
});

test("file names cannot break out of the header", async () => {
  for (const filename of [
    'a"; filename="evil.exe',
    "a\r\nSet-Cookie: x=y",
    "..\\..\\evil",
    "../../etc/passwd",
    "n\u00fctzlich \u2014 \u{1f680}.md",
    "\u0000\u001b[31m",
    "x".repeat(5000),
    "%22%0d%0a",
  ]) {
    const { id } = await server.create({
      envelope: { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", filename, content: "x" }] },
    });
    const { headers, status, rawHeaders } = await server.request("GET", `/${id}/raw?download`);
    assert.equal(status, 200, filename);
    const value = headers["content-disposition"];
    assert.match(value, /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"(; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+)?$/, filename);
    assert.ok(!/[/\\]/.test(/filename="([^"]*)"/.exec(value)[1]), value);
    assert.ok(value.length < 1000);
    assert.ok(!rawHeaders.includes("Set-Cookie"));
  }
});

test("raw of what is not there", async () => {
  const { id } = await server.create({
    envelope: { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", content: "x" }] },
  });
  for (const target of [`/${id}/raw/b`, `/${id}/raw/A`, `/${id}/raw/a/b`, `/${UNKNOWN_ID}/raw`]) {
    const answer = await server.request("GET", target);
    assert.equal(answer.status, 404, target);
    assert.match(answer.headers["content-type"], /^text\/plain/, target);
  }
});

test("raw of a payload that does not decode", async () => {
  for (const payload of ["pe30", "zzz", "fmB.AAAA", "p%%%", "lw"]) {
    const { id } = await server.create(payload);
    const answer = await server.request("GET", `/${id}/raw`);
    assert.equal(answer.status, 422, `${payload}: ${answer.text}`);
    assert.ok(answer.text.length > 10);
  }
});

test("the first decode of a ready payload tells its kind and title", async () => {
  const made = await server.post("/encode", { artifact: { kind: "csv", title: "A table", content: "a,b\n1,2\n" } });
  const { id } = await server.create(made.body.fragment);
  assert.equal((await server.getJson(`/api/artifacts/${id}`)).kind, null);
  assert.equal((await server.request("GET", `/${id}/raw`)).text, "a,b\n1,2\n");
  let row;
  for (let i = 0; i < 200 && !row?.kind; i++) row = await server.getJson(`/api/artifacts/${id}`);
  assert.equal(row.kind, "csv");
  assert.equal(row.title, "A table");
});

test("links of the 201 lead where they say", async () => {
  const made = await server.create({
    envelope: { v: 1, codec: "plain", artifacts: [{ id: "a", kind: "markdown", content: "# body\n" }] },
  });
  for (const link of [made.url, made.short_url]) {
    const page = await fetch(link);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /data-payload=/);
  }
  assert.equal(await (await fetch(made.raw_url)).text(), "# body\n");
  assert.equal(await (await fetch(`${made.short_url}/raw`)).text(), "# body\n");
});
