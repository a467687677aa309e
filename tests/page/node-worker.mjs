/*
 * node-worker.mjs - runs the built worker in Node: what a Worker of the browser is made of, on
 * worker_threads. `startWorker` is what createCodec() takes.
 */
import fs from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** @param {string} url file: URL of the built worker */
export function startWorker(url) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { url: String(url) } });
  const facade = {
    postMessage: (data) => thread.postMessage(data),
    terminate: () => thread.terminate(),
    onmessage: null,
    onerror: null,
  };
  thread.on("message", (data) => facade.onmessage?.({ data }));
  thread.on("error", (error) => facade.onerror?.({ error }));
  thread.unref(); // as in a page: a worker keeps nothing alive
  return facade;
}

if (!isMainThread && workerData?.url) {
  globalThis.self = globalThis;
  globalThis.postMessage = (data) => parentPort.postMessage(data);
  const fetchHttp = globalThis.fetch;
  globalThis.fetch = async (url, options) =>
    new URL(url).protocol === "file:"
      ? new Response(fs.readFileSync(new URL(url)), { headers: { "content-type": "application/wasm" } })
      : fetchHttp(url, options);
  const early = [];
  parentPort.on("message", (data) => (self.onmessage ? self.onmessage({ data }) : early.push(data)));
  await import(workerData.url);
  for (const data of early) self.onmessage({ data });
}
