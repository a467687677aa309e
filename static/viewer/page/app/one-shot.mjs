/* one-shot.mjs - work for a worker that does one thing and ends. */
import { built } from "arxd:build";
import { workerScript } from "./trust.mjs";

/**
 * Starts the worker of that source, sends it the message, resolves to its one answer. When the signal aborts, the
 * worker is ended in the middle of whatever it does.
 */
export function ask(source, message, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(workerScript(built[source]), { type: "module", name: `arxd ${source}` });
    const end = (settle, value) => {
      worker.terminate();
      signal.removeEventListener("abort", onAbort);
      settle(value);
    };
    const onAbort = () => end(reject, signal.reason);
    signal.addEventListener("abort", onAbort);
    worker.onmessage = ({ data }) => end(resolve, data);
    worker.onerror = (event) => {
      event.preventDefault();
      end(reject, new Error(event.message || "A part of the page could not be loaded."));
    };
    worker.postMessage(message);
  });
}
