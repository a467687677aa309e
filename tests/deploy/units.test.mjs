/*
 * deploy/arxd.service and deploy/compose.yaml: that they are what systemd and Compose read, that what
 * they name exists, and that arxd does nothing that the unit would forbid.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import YAML from "yaml";
import { call, note, want } from "../http/calls.mjs";
import { ARXD, freePort, ROOT, run, startServer, temporaryFolder, until } from "../http/harness.mjs";

const read = (name) => fs.readFileSync(path.join(ROOT, name), "utf8");
const UNIT = path.join(ROOT, "deploy/arxd.service");
/** [[key, value]] of the unit, in order. */
const settings = read("deploy/arxd.service").split("\n").filter((line) => /^[A-Z]\w*=/.test(line)).map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
const all = (key) => settings.filter(([name]) => name === key).map(([, value]) => value);
const VARIABLES = new Set([...run(ARXD, ["--help"]).stdout.matchAll(/\(([A-Z_]+)[,)]/g)].map(([, name]) => name));

test("systemd calls the unit safe, and finds nothing wrong with it", () => {
  const judged = run("systemd-analyze", ["security", "--offline=true", UNIT]);
  const level = Number(/Overall exposure level for arxd\.service: ([0-9.]+)/.exec(judged.stdout)?.[1]);
  assert.ok(level < 2, `exposure ${level}: ${judged.stdout}${judged.stderr}`);
  const folder = temporaryFolder("unit");
  const copy = path.join(folder, "arxd.service");
  fs.writeFileSync(copy, read("deploy/arxd.service").replace("/usr/local/bin/arxd", ARXD));
  const verified = run("systemd-analyze", ["verify", "--man=no", copy]);
  assert.deepEqual([verified.code, verified.stderr], [0, ""]);
  fs.writeFileSync(copy, read("deploy/arxd.service").replace("/usr/local/bin/arxd", ARXD).replace("ProtectSystem=", "ProtectSystems="));
  assert.notEqual(run("systemd-analyze", ["verify", "--man=no", copy]).stderr, "", "which it does not do with everything");
  fs.rmSync(folder, { recursive: true });
});

test("the unit's and the compose file's variables are arxd's; what is written lies where it is kept", () => {
  for (const line of all("Environment")) assert.ok(VARIABLES.has(line.split("=")[0]), line);
  for (const line of all("Environment").filter((text) => /DB_PATH|BACKUPS/.test(text))) assert.match(line, /=\/var\/lib\/arxd\//);
  for (const file of ["deploy/compose.yaml", "deploy/compose.scale.yaml"]) {
    const { services, volumes } = YAML.parse(read(file), { merge: true });
    for (const [name, service] of Object.entries(services).filter(([, { image }]) => image === "arxd")) {
      for (const variable of Object.keys(service.environment)) assert.ok(VARIABLES.has(variable), `${file}: ${name}: ${variable}`);
      assert.deepEqual(service.cap_drop, ["ALL"]);
      assert.equal(service.read_only, true);
      assert.deepEqual(service.healthcheck.test, ["CMD", "arxd", "--healthcheck"]);
      for (const volume of service.volumes ?? [])
        if (/^\w/.test(volume)) assert.ok(volume.split(":")[0] in volumes, volume);
    }
  }
});

test("the compose file fits the image: volume, port, health check, the folder of its tokens file", () => {
  const { arxd } = YAML.parse(read("deploy/compose.yaml")).services;
  const image = read("Dockerfile");
  const [, volume] = /^VOLUME (\S+)$/m.exec(image);
  assert.ok(arxd.volumes.includes(`data:${volume}`));
  assert.ok(arxd.environment.ARXD_BACKUPS.startsWith(`${volume}/`));
  assert.match(arxd.ports[0], new RegExp(`^127\\.0\\.0\\.1:.*:${/^EXPOSE (\d+)$/m.exec(image)[1]}$`), "reached from this machine only");
  assert.equal(arxd.ports.length, 1, "metrics are not for everybody");
  const [, check] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(image);
  assert.deepEqual(arxd.healthcheck.test, ["CMD", ...JSON.parse(check)]);
  const [source, target, mode] = arxd.volumes.find((text) => text.startsWith(".")).split(":");
  assert.equal(path.dirname(arxd.environment.ARXD_TOKENS_FILE), target);
  assert.equal(mode, "ro");
  assert.equal(source, "./config");
  assert.ok(!("ARXD_OPEN" in arxd.environment));
  assert.ok(arxd.mem_limit && arxd.pids_limit && arxd.ulimits.nofile && arxd.restart && arxd.stop_grace_period);
});

/** Names of system calls in a filter's list, groups taken apart. */
function systemCalls(names) {
  const found = new Set();
  for (const name of names)
    if (name.startsWith("@"))
      run("systemd-analyze", ["syscall-filter", name]).stdout.split("\n").slice(1).map((line) => line.trim())
        .filter((line) => line && !line.startsWith("#")).forEach((line) => (line.startsWith("@") ? systemCalls([line]) : new Set([line])).forEach((one) => found.add(one)));
    else found.add(name);
  return found;
}

const traces = run("strace", ["-f", "-o", "/dev/null", "true"]).code === 0;
test("arxd does nothing that the unit forbids", { skip: !traces && "processes cannot be traced here" }, async () => {
  const folder = temporaryFolder("traced");
  const trace = path.join(folder, "trace");
  const state = path.join(folder, "state");
  fs.mkdirSync(state);
  fs.writeFileSync(path.join(folder, "tokens"), `t create ${"0".repeat(64)}\n`);
  const metrics = await freePort();
  const program = path.join(folder, "arxd");
  fs.writeFileSync(program, `#!/bin/sh\nexec strace -D -f -q -o '${trace}' '${ARXD}' "$@"\n`, { mode: 0o755 });
  const server = await startServer({ folder: state, program, args: ["--backups", path.join(state, "backups"), "--open", "--metrics-listen", `127.0.0.1:${metrics}`, "--workers", "2"] });
  const made = await server.create({ envelope: note("# x\n") });
  await want(200, server, "GET", `/${made.id}/raw`);
  await want(200, server, "POST", "/encode", { json: { envelope: note("y ".repeat(9000)) } });
  await want(200, server, "POST", "/decode", { json: { fragment: (await server.getJson(`/api/artifacts/${made.id}`)).payload } });
  await want(200, server, "POST", "/api/cleanup");
  await want(200, server, "GET", "/");
  assert.equal((await call(server, "DELETE", `/api/artifacts/${made.id}`, { key: made.edit_key })).status, 200);
  assert.equal((await fetch(`http://127.0.0.1:${metrics}/metrics`)).status, 200);
  await until(() => fs.readdirSync(path.join(state, "backups")).some((name) => name.endsWith(".db")), "the day's backup", 60_000);
  server.child.kill("SIGHUP");
  await server.stop({ keep: true });

  const [pid] = /^\d+/.exec(fs.readFileSync(trace, "utf8"));
  const ended = () => fs.readFileSync(trace, "utf8").includes(`${pid} +++ exited with 0 +++`);
  await until(ended, "the trace to be complete");
  const lines = fs.readFileSync(trace, "utf8").split("\n");
  // what the program's start takes is before its first own step; the exec itself is systemd's
  const allowed = systemCalls(["@default", ...all("SystemCallFilter").filter((text) => !text.startsWith("~")).flatMap((text) => text.split(" "))]);
  for (const text of all("SystemCallFilter").filter((one) => one.startsWith("~")))
    systemCalls(text.slice(1).split(" ")).forEach((name) => allowed.delete(name));
  const used = new Set(lines.map((line) => /^\d+ +([a-z_0-9]+)\(/.exec(line)?.[1]).filter(Boolean));
  if (process.getuid() === 0) used.delete("fchown"); // SQLite gives files away when root runs it, which the unit never does
  assert.ok(used.size > 30, `${used.size} calls were seen`);
  assert.deepEqual([...used].filter((name) => !allowed.has(name)), [], "SystemCallFilter");

  const families = all("RestrictAddressFamilies").flatMap((text) => text.split(" "));
  const sockets = lines.map((line) => /\bsocket\((AF_\w+)/.exec(line)?.[1]).filter(Boolean);
  assert.ok(sockets.length > 0);
  for (const family of sockets) assert.ok(families.includes(family), `RestrictAddressFamilies: ${family}`);
  assert.deepEqual(lines.filter((line) => /PROT_WRITE\|PROT_EXEC/.test(line)), [], "MemoryDenyWriteExecute");
  const opened = lines.map((line) => /\bopen(?:at)?\((?:AT_FDCWD, )?"([^"]*)", ([A-Z_|]+)/.exec(line)).filter(Boolean);
  const written = opened.filter(([, , flags]) => /O_WRONLY|O_RDWR|O_CREAT/.test(flags)).map(([, name]) => path.resolve(state, name));
  assert.ok(written.length > 2);
  assert.deepEqual(written.filter((name) => !name.startsWith(state) && !/^\/proc\/self\/task\/\d+\/comm$/.test(name)), [], "ProtectSystem=strict leaves the state folder alone to be written");
  assert.deepEqual(opened.map(([, name]) => name).filter((name) => /^\/proc\/(?!self\/)|^\/sys\/|^\/home/.test(name)), [], "ProcSubset, ProtectKernelTunables, ProtectHome");
  fs.rmSync(folder, { recursive: true });
});
