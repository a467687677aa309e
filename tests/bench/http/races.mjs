/*
 * races.mjs - what arxd is asked, what nginx is asked beside it, and the ratio of their rates that
 * arxd is to reach. To add one, add an entry:
 *
 *   name      for the table, and to pick it on the command line
 *   wanted    the ratio
 *   prepare   gets { arxd, nginx, links, scratch }: the server (tests/http/harness.mjs), nginx
 *             (nginx.mjs), the paths of the links that are stored and a folder; gives what wrk.mjs is
 *             told to ask of each, as { arxd: { path, … }, nginx: { path, … } }
 *   check     optional, after the last round: gets the same and how many requests arxd answered
 *
 * Both contenders of a race get the same script where there is one, so that the client's own cost is
 * the same.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { run } from "../../http/harness.mjs";

export const LINK_CHARACTERS = 2048;

/** A file of paths for random_paths.lua. */
function pathsFile(scratch, name, paths) {
  const file = path.join(scratch, name);
  fs.writeFileSync(file, `${paths.join("\n")}\n`);
  return file;
}

/** Random links under `prefix` of arxd, against one file of nginx as large as such an answer. */
async function linksAgainstFile({ arxd, nginx, links, scratch }, prefix, name, headers) {
  const answer = await arxd.fetch(prefix + links[0], { headers: { "Accept-Encoding": "identity", ...headers } });
  assert.equal(answer.status, 200);
  nginx.put(name, Buffer.from(await answer.arrayBuffer()));
  const script = "random_paths.lua";
  const ask = (server, paths) => ({ path: "/", headers, script, args: [pathsFile(scratch, `${server}-${name}.paths`, paths)] });
  return {
    arxd: ask("arxd", links.map((id) => prefix + id)),
    nginx: ask("nginx", links.map(() => `/${name}`)),
  };
}

const storedRows = (db) => Number(run("sqlite3", ["-batch", "-readonly", db, "SELECT count(*) FROM artifacts"]).stdout);

export const RACES = [
  {
    name: "dictionary",
    title: "GET /arx-dictionary.json.br",
    beside: "brotli_static, the same file",
    wanted: 1,
    async prepare({ arxd, nginx }) {
      for (const file of ["arx-dictionary.json", "arx-dictionary.json.br"]) {
        const { bytes, status } = await arxd.request("GET", `/${file}`);
        assert.equal(status, 200);
        nginx.put(file, bytes);
      }
      const headers = { "Accept-Encoding": "br" };
      return { arxd: { path: "/arx-dictionary.json.br", headers }, nginx: { path: "/arx-dictionary.json", headers } };
    },
  },
  {
    name: "row",
    title: "GET /api/artifacts/:id, random",
    beside: "a static file of its size",
    wanted: 0.5,
    prepare: (bench) => linksAgainstFile(bench, "/api/artifacts/", "row.json"),
  },
  {
    name: "page",
    title: "GET /<uuid>, random",
    beside: "a static file of its size",
    wanted: 0.4,
    prepare: (bench) => linksAgainstFile(bench, "/", "page.html", { Accept: "text/html" }),
  },
  {
    name: "post",
    title: "POST /api/artifacts, 2 KB",
    beside: "GET of a static 2 KB file",
    wanted: 0.15,
    async prepare({ arxd, nginx }) {
      nginx.put("2kb.txt", Buffer.alloc(LINK_CHARACTERS, "x"));
      this.before = storedRows(arxd.db);
      return { arxd: { path: "/api/artifacts", script: "post_links.lua", args: [LINK_CHARACTERS] }, nginx: { path: "/2kb.txt" } };
    },
    /** Each 201 is a row (that it is durable is what tests/storage shows). */
    check({ arxd }, answered) {
      const made = storedRows(arxd.db) - this.before;
      assert.ok(made >= answered, `${answered} times 201, but ${made} rows`);
    },
  },
];
