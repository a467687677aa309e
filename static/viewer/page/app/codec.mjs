/* codec.mjs - the page's one codec. */
import { workerUrl } from "arxd:build";
import { createCodec } from "../../codec/client.mjs";
import { workerScript } from "./trust.mjs";

export { CodecError } from "../../codec/client.mjs";

export const codec = createCodec({ workerUrl: workerScript(workerUrl), assetsBase: document.baseURI });

export const wasGivenUp = (error) => error?.name === "AbortError";
