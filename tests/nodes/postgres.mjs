/*
 * postgres.mjs - a PostgreSQL of one test program's own (tests/postgres.sh), to be restarted and
 * slowed down at will.
 */
import { spawn, spawnSync } from "node:child_process";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../postgres.sh");

/** Starts it. durable: with fsync on. Gives { url, restart(), stop() }; url has no database's name. */
export async function startPostgres({ durable = false } = {}) {
  const child = spawn(SCRIPT, [...(durable ? ["--durable"] : []), "sh", "-c",
    'echo "$ARXD_TEST_POSTGRES $ARXD_TEST_POSTGRES_DIR"; cat'], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const line = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) resolve(text.trim());
    });
    ended.then(() => reject(new Error("PostgreSQL did not start")));
  });
  const [url, dir] = line.split(" ");
  const control = (...args) =>
    spawnSync(SCRIPT, args, { env: { ...process.env, ARXD_TEST_POSTGRES_DIR: dir }, stdio: "inherit" });
  return {
    url,
    restart: (mode = "fast") => control("--restart", mode),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** A way to it that can be made to stand still: { url, pause(), resume(), close() }. */
export async function startDetour(url) {
  const target = new URL(url);
  const { hostname, port } = target;
  const sockets = new Set();
  let paused = false;
  const join = (a, b) => {
    sockets.add(a);
    a.on("data", (bytes) => b.write(bytes));
    a.on("error", () => b.destroy());
    a.on("close", () => {
      sockets.delete(a);
      b.destroy();
    });
    if (paused) a.pause();
  };
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    join(near, far);
    join(far, near);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  target.port = server.address().port;
  return {
    url: target.href.replace(/\/$/, ""),
    pause() {
      paused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      paused = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
