/* nginx.mjs - the yardstick: nginx as nginx.conf has it, in a folder of its own. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, until } from "../../http/harness.mjs";
import { childrenOf } from "./process.mjs";

const CONF = path.join(path.dirname(fileURLToPath(import.meta.url)), "nginx.conf");

/** Starts it below `folder`. put(name, bytes) gives it a file to serve. */
export async function startNginx(folder) {
  const port = await freePort();
  const files = path.join(folder, "files");
  fs.mkdirSync(files, { recursive: true });
  fs.mkdirSync(path.join(folder, "tmp"));
  fs.copyFileSync(CONF, path.join(folder, "nginx.conf"));
  fs.writeFileSync(path.join(folder, "listen.conf"), `listen 127.0.0.1:${port};\n`);
  fs.writeFileSync(path.join(files, "started.txt"), "yes\n");

  const child = spawn("nginx", ["-p", `${folder}/`, "-c", "nginx.conf", "-e", "stderr"], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const origin = `http://127.0.0.1:${port}`;
  await until(
    () => (child.exitCode === null ? fetch(`${origin}/started.txt`).then((answer) => answer.ok, () => false) : Promise.reject(new Error("nginx ended at its start"))),
    "nginx to answer",
  );
  return {
    origin,
    worker: childrenOf(child.pid)[0],
    put: (name, bytes) => fs.writeFileSync(path.join(files, name), bytes),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
