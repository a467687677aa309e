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

/** A way to it that can be made to stand still: { url, pause(), pauseAfter(bytes), resume(), close() }. */
export async function startDetour(url) {
  const target = new URL(url);
  const { hostname, port } = target;
  const sockets = new Set();
  let paused = false;
  let left = Infinity; // bytes that go to it before it stands still
  let reached = () => {};
  const pause = () => {
    paused = true;
    for (const socket of sockets) socket.pause();
    reached();
  };
  const join = (a, b, isUp) => {
    sockets.add(a);
    a.unref(); // a test that failed must not be waited for
    a.on("data", (bytes) => {
      b.write(bytes);
      if (isUp && (left -= bytes.length) < 0 && !paused) pause();
    });
    a.on("error", () => b.destroy());
    a.on("close", () => {
      sockets.delete(a);
      b.destroy();
    });
    if (paused) a.pause();
  };
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    join(near, far, true);
    join(far, near, false);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  target.port = server.address().port;
  return {
    url: target.href.replace(/\/$/, ""),
    pause,
    /** Resolves when so many bytes more went to it, and it stands still. */
    pauseAfter(bytes) {
      left = bytes;
      return new Promise((resolve) => (reached = resolve));
    },
    resume() {
      paused = false;
      left = Infinity;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
