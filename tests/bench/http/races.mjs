/*
 * races.mjs - what arxd is asked, what its yardstick is asked beside it, and the ratio of their rates
 * that arxd is to reach. To add one, add an entry:
 *
 *   name      for the table, and to pick it on the command line
 *   pair      who runs: ["arxd", "nginx"] unless said otherwise; ["postgres", "arxd"] is arxd on
 *             PostgreSQL beside arxd on SQLite, ["nodes", "arxd"] two nodes on one PostgreSQL
 *   wanted    the ratio; absent where it is only to be seen
 *   prepare   gets { arxd, nginx, nodes, links, shared, scratch }: the server (tests/http/harness.mjs),
 *             nginx (nginx.mjs), the nodes on PostgreSQL, the ids of the links that are stored on arxd
 *             and on the nodes, and a folder; gives what wrk.mjs is told to ask of each of the pair,
 *             as { arxd: { path, … }, nginx: { path, … } }
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

/** Random links of both databases. */
async function linksOfBoth({ links, shared, scratch }, who) {
  const ask = (name, ids) => ({ path: "/", script: "random_paths.lua", args: [pathsFile(scratch, `${name}.ids`, ids.map((id) => `/api/artifacts/${id}`))] });
  return { arxd: ask("sqlite", links), [who]: ask("postgres", shared) };
}

const POSTS = { path: "/api/artifacts", script: "post_links.lua", args: [LINK_CHARACTERS] };

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
      return { arxd: POSTS, nginx: { path: "/2kb.txt" } };
    },
    /** Each 201 is a row (that it is durable is what tests/storage shows). */
    check({ arxd }, answered) {
      const made = storedRows(arxd.db) - this.before;
      assert.ok(made >= answered, `${answered} times 201, but ${made} rows`);
    },
  },
  {
    name: "postgres-row",
    pair: ["postgres", "arxd"],
    title: "GET /api/artifacts/:id on PostgreSQL",
    beside: "on SQLite",
    wanted: 0.5,
    prepare: (bench) => linksOfBoth(bench, "postgres"),
  },
  {
    name: "postgres-post",
    pair: ["postgres", "arxd"],
    title: "POST /api/artifacts on PostgreSQL, durable",
    beside: "on SQLite, durable",
    wanted: 0.5,
    prepare: async () => ({ postgres: POSTS, arxd: POSTS }),
  },
  {
    name: "nodes-row",
    pair: ["nodes", "arxd"],
    title: "the same GET, two nodes on one PostgreSQL",
    beside: "on SQLite",
    prepare: (bench) => linksOfBoth(bench, "nodes"),
  },
  {
    name: "nodes-post",
    pair: ["nodes", "arxd"],
    title: "the same POST, two nodes on one PostgreSQL",
    beside: "on SQLite, durable",
    prepare: async () => ({ nodes: POSTS, arxd: POSTS }),
  },
];
