/*
 * draft.mjs - what somebody writes or drops before it is a link: fields, files, and the two ways to make one.
 *
 * Which texts make an artifact, and what it is called, the codec decides: a draft goes to it as it is.
 */
import { codec } from "./codec.mjs";
import { h, number } from "./dom.mjs";
import { KINDS } from "./kinds.mjs";
import { DECODED } from "./limits.mjs";
import { onProgress, whileSlow } from "./progress.mjs";
import { homeUrl } from "./source.mjs";

/** What a file may have at most; the format takes that many characters, of up to four bytes. */
const FILE_BYTES = 4 * DECODED;

/** A labelled field. */
export const field = (label, control, properties) => h("label", { class: "labelled", ...properties }, h("span", null, label), control);

export const input = (properties) => h("input", { type: "text", class: "field", autocomplete: "off", spellcheck: "false", ...properties });

export const textarea = (properties) => h("textarea", { class: "paper", spellcheck: "false", dir: "auto", ...properties });

export const select = (values, chosen, properties) =>
  h("select", { class: "field", ...properties }, values.map(([value, word]) => h("option", { value, selected: value === chosen }, word)));

export const KIND_CHOICES = Object.entries(KINDS).map(([kind, { name }]) => [kind, name]);
export const VIEW_CHOICES = [
  ["unified", "Unified"],
  ["split", "Split"],
];

/** @returns { filename, kind, language, content } of a file. Throws an Error whose message can be shown. */
export async function readFile(file) {
  if (file.size > FILE_BYTES) throw new Error(`${file.name} is too large: a link holds at most ${number(DECODED)} characters.`);
  const bytes = await file.arrayBuffer();
  let content;
  try {
    content = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is no UTF-8 text: a link holds Markdown, code, a diff, a table or JSON.`);
  }
  const { kind, language } = await codec.fileType(file.name);
  return { filename: file.name, kind, language, content };
}

/**
 * A link that holds its content. @param request { artifact } or { envelope }
 * @returns what codec.encode() says
 */
export const makeFragment = (request, signal) =>
  whileSlow(codec.encode({ ...request, baseUrl: homeUrl() }, { group: "make", onProgress, signal }));

/** A link whose content this server keeps. @returns the answer's { short_url, markdown_link, expires_at } */
export async function makeShort(request, signal) {
  const asking = fetch(new URL("encode", document.baseURI), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...request, store: true }),
    signal,
  });
  let response;
  try {
    response = await whileSlow(asking);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server could not be reached. Nothing was stored.");
  }
  const answer = await response.json().catch(() => ({})); // whatever stands before the server may answer in HTML
  if (response.status === 401) throw new Error("This server stores links only for those who have a token. A fragment link needs no server.");
  if (!response.ok) throw new Error(answer.error ?? `The server answered ${response.status}.`);
  return answer.artifact;
}
