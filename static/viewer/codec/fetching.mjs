/* fetching.mjs - getting files, with errors a person can use. */
import { CodecError } from "./errors.mjs";

/** The response, or null for one that says there is no such file. */
export async function get(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch {
    throw new CodecError("network", `${nameOf(url)} could not be loaded. Check the connection and try again.`);
  }
  if (response.status === 404) return null;
  if (!response.ok)
    throw new CodecError("network", `${nameOf(url)} could not be loaded: the server answered ${response.status}.`);
  return response;
}

/** The same where the file must be there. */
export async function need(url, options) {
  const response = await get(url, options);
  if (response === null) throw new CodecError("network", `${nameOf(url)} is missing on this server.`);
  return response;
}

/** A compiled WebAssembly module; compiled while it arrives, where the server names its type. */
export async function compile(url) {
  const response = await need(url);
  if (response.headers.get("content-type")?.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

const nameOf = (url) => new URL(url).pathname.split("/").at(-1);
