/*
 * An agent with nothing but the host's name: it reads /llms.txt and what that tells it, and from there
 * makes a link, reads it back, changes it and deletes it. How much it had to read, and how often it had
 * to call, is what is tested.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "./harness.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.stop());

test("publish, read back, update and delete in at most four calls and 6 KB of reading", async () => {
  let read = 0;
  const documents = [];
  const open = async (url) => {
    const text = await (await fetch(url)).text();
    read += Buffer.byteLength(text);
    documents.push(url);
    return text;
  };
  const guide = await open(`${server.origin}/llms.txt`);

  // what the guide says, and nothing else: where to send a file, how to read, change and delete
  const share = guide.match(/curl --data-binary @\S+ '(\S+)'/)[1];
  const [, accept] = guide.match(/GET a short link with `Accept: (\S+)`/);
  assert.match(guide, /PUT or DELETE \/api\/artifacts\/ID with\s+`Authorization: Bearer EDIT_KEY`/);
  assert.match(guide, /the `edit_key` of the answer that made it/);
  assert.match(guide, /"artifact": \{"kind": "markdown", "title"/);
  assert.ok(share.startsWith(server.origin), share);

  let calls = 0;
  const call = async (method, url, options = {}) => {
    calls++;
    const answer = await fetch(url, { method, ...options });
    assert.ok(answer.ok, `${method} ${url}: ${answer.status}`);
    return answer;
  };
  const made = await (await call("POST", share, { body: "# First\n", headers: { Accept: "application/json" } })).json();
  const text = await (await call("GET", made.short_url, { headers: { Accept: accept } })).text();
  assert.equal(text, "# First\n");
  const headers = { Authorization: `Bearer ${made.edit_key}` };
  const artifact = { kind: "markdown", title: "Report", content: "# Second\n" };
  await call("PUT", `${server.origin}/api/artifacts/${made.id}`, { headers, body: JSON.stringify({ artifact }) });
  await call("DELETE", `${server.origin}/api/artifacts/${made.id}`, { headers });
  assert.equal((await fetch(made.short_url, { headers: { Accept: accept } })).status, 404);

  console.log(`# ${calls} calls, ${read} bytes read in ${documents.length} document`);
  assert.ok(calls <= 4);
  assert.ok(read <= 6 * 1024);
});
