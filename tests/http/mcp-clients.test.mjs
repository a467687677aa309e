/*
 * MCP with the official clients: the 1.x SDK for the legacy protocol, the 2.x client for the modern
 * one, and the conformance suite's scenarios for servers like this. Each lists, calls, meets errors,
 * waits for a long encode, is refused what destroys and does it once a person has approved.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import * as modern from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { call } from "./calls.mjs";
import { ROOT, startServer, temporaryFolder } from "./harness.mjs";

const digest = (text) => createHash("sha256").update(text).digest("hex");
const INFO = { name: "arxd-tests", version: "1.0.0" };
const requestInit = { headers: { Authorization: "Bearer t-agent" } };

let server, folder;
before(async () => {
  folder = temporaryFolder("mcp-clients");
  const file = path.join(folder, "tokens");
  fs.writeFileSync(file, `agent create,read ${digest("t-agent")}\njudge approve ${digest("t-judge")}\n`);
  server = await startServer({ folder, env: { ARXD_TOKENS_FILE: file } });
});
after(() => server.stop());

const ERAS = {
  "the legacy client": async (url) => {
    const client = new LegacyClient(INFO);
    await client.connect(new LegacyTransport(url, { requestInit }));
    return client;
  },
  "the modern client": async (url) => {
    const client = new modern.Client(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new modern.StreamableHTTPClientTransport(url, { requestInit }));
    assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
    return client;
  },
  "the modern client, choosing itself": async (url) => {
    const client = new modern.Client(INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(new modern.StreamableHTTPClientTransport(url, { requestInit }));
    assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
    return client;
  },
  "the modern client, as a legacy one": async (url) => {
    const client = new modern.Client(INFO);
    await client.connect(new modern.StreamableHTTPClientTransport(url, { requestInit }));
    return client;
  },
};

for (const [who, connect] of Object.entries(ERAS))
  test(who, async (t) => {
    const client = await connect(new URL("/mcp", server.origin));
    const use = (name, args = {}) => client.callTool({ name, arguments: args });
    const text = ({ content }) => content[0].text;

    await t.test("lists tools", async () => {
      const { tools } = await client.listTools();
      assert.equal(tools.length, 14);
      assert.ok(tools.some(({ name }) => name === "artifacts_create_link"));
      assert.match(client.getInstructions(), /approval/);
      assert.equal(client.getServerVersion().name, "arxd");
    });

    await t.test("makes a link and reads it, as a tool and as a resource", async () => {
      const made = await use("artifacts_create_link", { artifact: { kind: "markdown", content: "# From a client" } });
      assert.equal(made.isError, false, text(made));
      const { id } = made.structuredContent;
      const read = await use("artifacts_read", { id });
      assert.equal(read.structuredContent.text, "# From a client");
      const uri = `arxd://artifact/${id}`;
      const { contents } = await client.readResource({ uri });
      assert.deepEqual(contents, [{ uri, mimeType: "text/markdown", text: "# From a client" }]);
      const { resources } = await client.listResources();
      assert.ok(resources.some((one) => one.uri === uri));
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.equal(resourceTemplates[0].uriTemplate, "arxd://artifact/{id}");
    });

    await t.test("is told what went wrong", async () => {
      const wrong = await use("artifacts_read", { id: 1 });
      assert.equal(wrong.isError, true);
      assert.match(text(wrong), /^VALIDATION_ERROR: /);
      await assert.rejects(use("artifacts_none"), (error) => error.code === -32602);
      await assert.rejects(client.readResource({ uri: "arxd://artifact/none" }), (error) => [-32002, -32602].includes(error.code));
    });

    await t.test("waits for a long encode", async () => {
      const content = Array.from({ length: 20_000 }, (_, i) => `w${((i + 1) * 7919) % 99_991}`).join(" ");
      const made = await client.callTool({ name: "artifacts_encode", arguments: { artifact: { kind: "markdown", content } } });
      assert.equal(made.isError, false, text(made));
      let data = JSON.parse(text(made));
      while (data.status === "running") data = JSON.parse(text(await use("oui_result", { requestId: data.requestId, wait_ms: 20_000 })));
      assert.ok(data.codec, JSON.stringify(data).slice(0, 200));
    });

    await t.test("is refused what destroys, until a person approves", async () => {
      const { structuredContent } = await use("artifacts_create_link", { payload: "pe30" });
      const args = { id: structuredContent.id };
      const refused = await use("artifacts_delete", args);
      assert.equal(refused.isError, true);
      const [head, details] = text(refused).split("\n");
      assert.match(head, /^APPROVAL_REQUIRED: /);
      const { approvalId } = JSON.parse(details);
      const decided = await call(server, "POST", `/oui/approvals/${approvalId}/decide`, { json: { decision: "approve" }, key: "t-judge" });
      assert.equal(decided.status, 200, decided.text);
      const done = await use("artifacts_delete", args);
      assert.equal(done.isError, false, text(done));
      assert.match(text(await use("artifacts_delete", args)), /^APPROVAL_REQUIRED: /);
    });

    await client.close();
  });

test("README's configuration connects", async () => {
  const [, line] = fs.readFileSync(path.join(ROOT, "README.md"), "utf8").match(/^```json\n(\{"mcpServers".*)\n```$/m);
  const { type, url, headers } = JSON.parse(line).mcpServers.arxd;
  assert.equal(type, "http");
  const address = new URL(url.replace("http://127.0.0.1:3000", server.origin));
  assert.equal(address.origin, server.origin);
  const client = new LegacyClient(INFO);
  await client.connect(new LegacyTransport(address, { requestInit: { headers: { Authorization: headers.Authorization.replace("TOKEN", "t-agent") } } }));
  assert.ok((await client.listTools()).tools.length > 0);
  await client.close();
});

test("the conformance suite", async (t) => {
  const open = await startServer();
  const suite = path.join(ROOT, "tests/node_modules/@modelcontextprotocol/conformance/dist/index.js");
  for (const scenario of ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"])
    await t.test(scenario, async () => {
      const url = `http://localhost:${open.port}/mcp`;
      const { stdout } = await promisify(execFile)(process.execPath, [suite, "server", "--url", url, "--scenario", scenario, "--output-dir", folder], { cwd: folder, timeout: 60_000 });
      assert.match(stdout, /Passed: (\d+)\/\1, 0 failed/, stdout);
    });
  await open.stop();
});
