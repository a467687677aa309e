/* What tells people, crawlers and agents what there is: true, linked together, and copy-and-paste. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { call } from "./calls.mjs";
import { run, startServer } from "./harness.mjs";

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const get = (target, headers = {}) => call(server, "GET", target, { headers });
/** An absolute URL of this server leads to something. */
async function leads(url) {
  assert.ok(url.startsWith(`${server.origin}/`), url);
  assert.equal((await get(url.slice(server.origin.length))).status, 200, url);
}

test("api-catalog is a linkset whose links lead somewhere", async () => {
  const answer = await get("/.well-known/api-catalog");
  assert.equal(answer.headers["content-type"], 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
  const [entry] = JSON.parse(answer.text).linkset;
  await leads(entry.anchor);
  for (const relation of ["service-desc", "service-doc", "status"]) {
    assert.ok(entry[relation].length > 0, relation);
    for (const { href, type } of entry[relation]) {
      await leads(href);
      const target = await get(href.slice(server.origin.length));
      assert.equal(target.headers["content-type"].split(";")[0], type, href);
    }
  }
  const head = await call(server, "HEAD", "/.well-known/api-catalog");
  assert.match(head.headers.link, /<\/\.well-known\/api-catalog>; rel="api-catalog"/);
});

test("the skills index names the skill with its digest", async () => {
  const index = JSON.parse((await get("/.well-known/agent-skills/index.json")).text);
  assert.equal(index.skills.length, 1);
  const [skill] = index.skills;
  assert.match(skill.name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
  assert.equal(skill.type, "skill-md");
  assert.ok(skill.description.length > 0 && skill.description.length <= 1024);
  await leads(skill.url);
  const file = await get(skill.url.slice(server.origin.length));
  assert.equal(file.headers["content-type"], "text/markdown; charset=utf-8");
  assert.equal(skill.digest, `sha256:${createHash("sha256").update(file.bytes).digest("hex")}`);
  const front = /^---\n(.*?)\n---\n/s.exec(file.text)[1];
  assert.match(front, new RegExp(`^name: ${skill.name}$`, "m"));
  assert.ok(front.includes(`description: ${skill.description}`));
});

test("llms.txt: its links lead somewhere, its commands work", async () => {
  const { text } = await get("/llms.txt");
  assert.match(text, /^# arxd\n\n> /);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => url);
  assert.ok(links.length >= 3);
  for (const url of links) await leads(url);
  const commands = [...text.matchAll(/^ {4}(curl .*)$/gm)].map(([, command]) => command);
  assert.ok(commands.length >= 2);
  for (const command of commands) {
    const { code, stdout, stderr } = run("sh", ["-c", `printf '# r\\n' > report.md; ${command.replace("curl", "curl -sS --fail-with-body")}`], { cwd: server.folder });
    assert.equal(code, 0, `${command}: ${stderr} ${stdout}`);
  }
});

test("the skill's commands do what it says", async () => {
  const { text } = await get("/.well-known/agent-skills/arxd/SKILL.md");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  assert.ok(blocks.length >= 10, `${blocks.length} blocks`);
  const origin = /^ARXD=(\S+)$/m.exec(blocks[0])[1];
  assert.equal(origin, "http://127.0.0.1:3000", "the one line to be changed");
  const mark = "----8<----";
  const script = ["set -eu", 'curl() { command curl -sS --fail-with-body "$@"; }', ...blocks.flatMap((block) => [block, `printf '\\n${mark}\\n'`])].join("\n");
  const { code, stdout, stderr } = run("sh", ["-c", script.replace(origin, server.origin)], { cwd: server.folder });
  assert.equal(code, 0, `${stderr}\n${stdout}`);
  assert.equal(stderr, "");
  const outputs = stdout.split(`\n${mark}\n`).slice(0, -1);
  assert.equal(outputs.length, blocks.length);
  blocks.forEach((block, i) => {
    const commands = block.split("\n").filter((line) => /\bcurl\b/.test(line) && !/^[A-Z]+=/.test(line)).length;
    if (commands > 0) assert.ok(outputs[i].trim().length > 0, block);
  });
  const of = (what) => outputs[blocks.findIndex((block) => block.includes(what))];
  assert.match(of("@report.md"), new RegExp(`^${server.origin}/[A-Za-z0-9_-]{22}$`, "m"));
  assert.match(of("respond-async"), /^HTTP\/1\.1 202 /);
  assert.match(of("respond-async"), /^Location: http/m);
  assert.match(of('"store": true'), /"artifact":\{"id":/);
  const changed = of("-X DELETE");
  assert.match(changed, /"updated_at"/);
  assert.match(changed, /# Second\n/);
  assert.match(changed, /\{"deleted":true\}/);
  assert.match(of("Accept: text/markdown"), /^\{"n": 1\}$/m);
  assert.match(of("$ARXD/decode"), /"content":"hi"/);
});

test("the front page, robots.txt and sitemap.xml point at each other", async () => {
  const home = await get("/");
  assert.match(home.headers.link, /rel="api-catalog"/);
  assert.match(home.headers.link, /rel="service-desc"/);
  const links = [...home.text.matchAll(/href="([^"/][^"]*)"/g)].map(([, target]) => target);
  assert.ok(links.length >= 3, "relative links");
  for (const target of links) assert.equal((await get(`/${target}`)).status, 200, target);
  const robots = await get("/robots.txt");
  const sitemap = /^Sitemap: (\S+)$/m.exec(robots.text)[1];
  await leads(sitemap);
  const pages = [...(await get("/sitemap.xml")).text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url);
  assert.ok(pages.length > 0);
  for (const url of pages) await leads(url);
});

/** Google's reading of robots.txt: the longest rule that fits wins, of equal ones Allow. */
function mayVisit(rules, target) {
  const fitting = [...rules.matchAll(/^(Allow|Disallow): (\S+)$/gm)].filter(([, , path]) =>
    path.endsWith("$") ? target === path.slice(0, -1) : target.startsWith(path),
  );
  fitting.sort((a, b) => b[2].length - a[2].length || (a[1] === "Allow" ? -1 : 1));
  return fitting.length === 0 || fitting[0][1] === "Allow";
}

test("robots.txt keeps crawlers off short links and the API", async () => {
  const { text } = await get("/robots.txt");
  const { id, short_url } = await server.create("pe30");
  for (const target of ["/", "/security", "/url-explainer", "/icon.svg", "/page/main.mjs", "/robots.txt", "/llms.txt", "/openapi.json", "/sitemap.xml", "/.well-known/api-catalog"])
    assert.ok(mayVisit(text, target), target);
  for (const target of [`/${id}`, new URL(short_url).pathname, `/${id}/raw`, "/api/artifacts", `/api/artifacts/${id}`, "/encode/jobs/x"])
    assert.ok(!mayVisit(text, target), target);
});

test("documents have an ETag, and are asked for again", async () => {
  for (const target of ["/", "/robots.txt", "/llms.txt", "/openapi.json", "/.well-known/agent-skills/arxd/SKILL.md"]) {
    const { headers } = await get(target);
    assert.match(headers.etag, /^"[0-9a-f]{32}"$/, target);
    assert.equal(headers["cache-control"], "no-cache", target);
    assert.equal((await get(target, { "If-None-Match": headers.etag })).status, 304, target);
    assert.equal((await get(target, { "If-Modified-Since": headers["last-modified"] })).status, 304, target);
    assert.equal((await get(target, { "If-None-Match": '"other"' })).status, 200, target);
    const head = await call(server, "HEAD", target);
    assert.equal(head.headers.etag, headers.etag);
    assert.equal(head.headers["content-length"], headers["content-length"]);
  }
});

test("links follow --public-url and Host, and no Host can break out of a document", async () => {
  const own = await startServer({ args: ["--public-url", "https://links.example/base"] });
  assert.match((await call(own, "GET", "/robots.txt")).text, /^Sitemap: https:\/\/links\.example\/base\/sitemap\.xml$/m);
  const open = await own.create({ payload: "pe30" });
  const limited = await own.create({ payload: "pe30", max_views: 2 });
  assert.equal(open.raw_url, `https://links.example/base/${open.id}/raw`);
  assert.match((await call(own, "GET", `/${open.id}`)).text, new RegExp(`href="/base/${open.id}/raw"`));
  assert.match((await call(own, "GET", `/${limited.id}`)).text, new RegExp(`action="/base/${limited.id}/view"`));
  await own.stop();
  for (const host of ["a.example", "a.example:8443", "[::1]:3000"]) {
    const { text } = await get("/sitemap.xml", { Host: host });
    assert.ok(text.includes(`<loc>http://${host}/</loc>`), text);
  }
  const catalog = await get("/.well-known/api-catalog", { Host: "a.example" });
  assert.notEqual(catalog.headers.etag, (await get("/.well-known/api-catalog")).headers.etag);
  for (const host of ['a"},{"x":"', "a<b>", "a&b", "a b", "a'b", "a\\b"]) {
    for (const target of ["/sitemap.xml", "/.well-known/api-catalog", "/openapi.json", "/llms.txt"]) {
      const answer = await get(target, { Host: host });
      if (answer.status === 400) continue;
      assert.equal(answer.status, 200);
      assert.ok(!answer.text.includes(host), `${host} in ${target}`);
      if (/json/.test(answer.headers["content-type"])) JSON.parse(answer.text);
    }
  }
});

