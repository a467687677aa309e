/*
 * client.mjs - the codec, for a page's main thread, which it never blocks: all work is done in a
 * Web Worker by the project's own C core.
 *
 *   const codec = createCodec({ workerUrl, assetsBase: "/" });
 *
 * workerUrl: the built worker ("arxd:build" exports it), a string or a TrustedScriptURL. assetsBase:
 * where /assets/ is. Nothing is loaded before the first call; the worker ends by itself when it has
 * had nothing to do for a while, and the next call starts another.
 *
 * codec.decode(fragment, { skipBudget, assetSet, signal, onProgress, group })
 *     fragment: with or without "#". Resolves to { envelope, codec, wire, prior, packed, assetSet,
 *     otherSets, visibleLength, decodedLength, warnings }. assetSet is the id of the set that was
 *     used: the one asked for, else the first that could, the active one first; null for plain, lz
 *     and deflate, which need none. otherSets: ids of the others, to be tried on demand: of arx,
 *     arx2 and arx3 another set may make other words without an error.
 * codec.encode({ envelope | artifact, ...options }, { assetSet, signal, onProgress, group })
 *     The body of POST /encode, and what that answers with 200: fragment, url, hash, markdownUrl,
 *     markdownLink, markdownLinkLength, discordMarkdownLinkWarning, visibleLength, transportLength,
 *     fitsFragmentBudget, fitsTarget, assetSet, codec, wire, prior, packed, candidates, warnings
 *     and, for one over the budget, hint. Give `baseUrl`, or links are bare fragments.
 * codec.inspect(link, { baseUrl, assetSet, signal, onProgress, group })
 *     link: a fragment or a whole http(s) URL. What `arx inspect --json` tells: codec, legacy, wire,
 *     prior, packed, assetSet, visibleLength, transportLength, codedBytes, decodedLength,
 *     fitsFragmentBudget, markdownLinkLength, fitsDiscord, artifacts: [{ id, kind, length }].
 * codec.fileType(filename)
 *     { known, kind, language }: what a file's name says of its content.
 * codec.assetSets()
 *     { active, sets }: the ids of /assets/index.json, the active one first.
 * codec.close()
 *     Ends the worker; calls under way reject with an AbortError.
 *
 * onProgress({ phase, done, total }): "load" while parts and asset sets are fetched (total grows),
 * "code" while an encode runs through its candidates; a decode has no steps worth counting.
 *
 * Failures are CodecErrors { code, message }, with format.md's codes and messages where it has them,
 * ready to be shown. A call that was given up rejects with an AbortError (or the signal's own
 * reason): when its signal aborts, or when a newer call of the same group comes. Every method is a
 * group of its own unless `group` names one. A call that was given up and still keeps the worker
 * busy is ended with the worker; the calls behind it move to a new one, and never notice.
 * A time limit: signal: AbortSignal.timeout(30_000).
 */
import { abortError, CodecError } from "./errors.mjs";

export { CodecError };

/** How long a call that was given up may hold up others. */
const GRACE_MS = 250;
/** How long an idle worker keeps its memory, some 40 MB once a mixer codec was used. */
const IDLE_MS = 120_000;

/** For tests: `startWorker(url)` makes something like a Worker. */
export function createCodec({ workerUrl, assetsBase = "/", startWorker = startModuleWorker, graceMs = GRACE_MS, idleMs = IDLE_MS }) {
  const base = new URL(assetsBase, globalThis.document?.baseURI).href;
  const newest = new Map(); // group -> call
  let worker = null;
  let isReady = false; // its script has arrived and runs
  let calls = []; // those the worker has not answered, in its order; given up ones too
  let nextId = 1;
  let graceTimer = null;
  let idleTimer = null;

  const post = (call) => worker.postMessage({ ...call.message, id: call.id });

  function start() {
    if (worker !== null) return;
    const started = startWorker(workerUrl);
    worker = started;
    started.onmessage = ({ data }) => worker === started && receive(data);
    started.onmessageerror = started.onerror = (event) => {
      event.preventDefault?.();
      if (worker === started) failAll(new CodecError("internal", "The codec could not be started. Reload to try again."));
    };
    worker.postMessage({ type: "start", assetsBase: base });
  }

  function stop() {
    worker?.terminate();
    worker = null;
    isReady = false;
    clearTimeout(graceTimer);
    clearTimeout(idleTimer);
    graceTimer = idleTimer = null;
  }

  function failAll(error) {
    const failed = calls;
    calls = [];
    stop();
    for (const call of failed) call.settle(call.reject, error);
  }

  /** Ends a worker that is of no use, and moves the calls somebody waits for to a new one. */
  function restart() {
    calls = calls.filter((call) => !call.settled);
    stop();
    if (calls.length === 0) return;
    start();
    calls.forEach(post);
  }

  /** Watches over the head of the queue and over idleness. */
  function watch() {
    clearTimeout(graceTimer);
    clearTimeout(idleTimer);
    graceTimer = idleTimer = null;
    if (calls[0]?.settled && isReady) graceTimer = setTimeout(restart, graceMs);
    else if (calls.length === 0 && worker !== null) {
      idleTimer = setTimeout(stop, idleMs);
      idleTimer.unref?.(); // of Node: an idle worker keeps no test alive
    }
  }

  function receive(data) {
    if (data.type === "ready") {
      isReady = true;
      watch();
      return;
    }
    const call = calls[0];
    if (call?.id !== data.id) return;
    if (data.type === "progress") {
      if (!call.settled) call.onProgress?.({ phase: data.phase, done: data.done, total: data.total });
      return;
    }
    calls.shift();
    if (data.type === "failed") {
      call.settle(call.reject, new CodecError(data.code, data.message));
      if (data.code === "internal") restart(); // whatever broke in there, the others are better off elsewhere
    } else {
      const { ok, ...result } = JSON.parse(data.text);
      if (ok) call.settle(call.resolve, result);
      else call.settle(call.reject, new CodecError(result.code, result.message));
    }
    watch();
  }

  function giveUp(call, reason) {
    if (call.settled) return;
    call.settle(call.reject, reason);
    worker?.postMessage({ type: "cancel", id: call.id });
    if (calls[0] === call) watch();
  }

  /** @returns a promise of the answer */
  function make(message, { signal, onProgress, group }) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => giveUp(call, signal.reason);
      const call = {
        id: nextId++,
        message,
        onProgress,
        resolve,
        reject,
        settled: false,
        settle(how, value) {
          if (call.settled) return;
          call.settled = true;
          signal?.removeEventListener("abort", onAbort);
          if (newest.get(group) === call) newest.delete(group);
          how(value);
        },
      };
      const older = newest.get(group);
      if (group !== null) newest.set(group, call);
      signal?.addEventListener("abort", onAbort);
      start();
      calls.push(call);
      post(call);
      if (older) giveUp(older, abortError());
      watch();
    });
  }

  /** Requests travel as JSON, as answers do: the worker has use for nothing else. */
  const ask = (name, request, { assetSet, signal, onProgress, group = name } = {}) =>
    make(
      { type: "call", name, request: JSON.stringify(request), assetSet: assetSet ?? undefined },
      { signal, onProgress, group },
    );

  return {
    decode: (fragment, options = {}) =>
      ask("decode", { fragment, skipFragmentBudget: options.skipBudget === true }, options),

    encode: (request, options) => ask("encode", request, options),

    inspect(link, options = {}) {
      const request = { fragment: link, baseUrl: options.baseUrl };
      if (/^\s*https?:\/\//i.test(link) && link.includes("#")) {
        const at = link.indexOf("#");
        request.fragment = link.slice(at).trim();
        request.baseUrl = link.slice(0, at).trim();
      }
      return ask("inspect", request, options);
    },

    fileType: (filename) => ask("filetype", { filename }, { group: null }),

    assetSets: () => make({ type: "index" }, { group: null }),

    close() {
      failAll(abortError("The codec was closed."));
    },
  };
}

function startModuleWorker(url) {
  return new Worker(url, { type: "module", name: "arxd codec" });
}
