/* diff.worker.mjs - reads a patch, or compares two texts, off the main thread. See render/patch.mjs. */
import { readDiff } from "./render/patch.mjs";

self.onmessage = ({ data }) => self.postMessage(readDiff(data));
