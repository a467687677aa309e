/*
 * disk.mjs - arxd on a disk that tests can watch, cut off and let fail: see shim.c, which is built
 * here and preloaded. The rest is tests/http/harness.mjs.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { ROOT, run, startServer, temporaryFolder } from "../http/harness.mjs";

let built;

/** The shim as a library, built once a process. */
function shim() {
  if (built) return built;
  const library = path.join(temporaryFolder("shim"), "shim.so");
  const flags = ["-std=c17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"];
  const { code, stderr } = run(process.env.CC || "cc", [...flags, path.join(ROOT, "tests/storage/shim.c"), "-o", library, "-ldl", "-lpthread"]);
  assert.equal(code, 0, stderr);
  return (built = library);
}

process.once("exit", () => built && fs.rmSync(path.dirname(built), { recursive: true, force: true }));

/**
 * A folder for a database, and what to give startServer() so that it lies on such a disk.
 * cut, seed, deaf: see shim.c.
 */
export function makeDisk(folder = temporaryFolder("disk"), { cut, seed, deaf } = {}) {
  const log = path.join(folder, "shim.log");
  const fault = path.join(folder, "shim.fault");
  fs.rmSync(log, { force: true });
  fs.rmSync(fault, { force: true });
  const env = { LD_PRELOAD: shim(), SHIM_DB: path.join(folder, "arxd.db"), SHIM_LOG: log, SHIM_FAULT: fault };
  if (cut !== undefined) env.SHIM_CUT = String(cut);
  if (seed !== undefined) env.SHIM_SEED = String(seed);
  if (deaf) env.SHIM_DEAF = "1";
  return {
    folder,
    env,
    db: path.join(folder, "arxd.db"),
    start: (more = {}) => startServer({ ...more, folder, env: { ...env, ...more.env } }),
    lines: () => (fs.existsSync(log) ? fs.readFileSync(log, "utf8").trimEnd().split("\n").filter(Boolean) : []),
    /** "ENOSPC", "EROFS", "EIO" or "CUT n"; written whole, so that it is never half read. */
    fail(how) {
      fs.writeFileSync(`${fault}.new`, how);
      fs.renameSync(`${fault}.new`, fault);
    },
    heal: () => fs.rmSync(fault, { force: true }),
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

/** SQLite's own judgement of a database that nobody has open. */
export function assertIntact(db) {
  const { code, stdout, stderr } = run("sqlite3", ["-batch", db, "PRAGMA integrity_check;"]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trim(), "ok");
}

/** A payload of `length` characters that no other number has. */
export function payloadOf(number, length) {
  let text = `a${number}.`;
  for (let i = 0; text.length < length; i++) text += `${(number * 7919 + i * 104729) % 1000003}`;
  return text.slice(0, Math.max(length, 16));
}
