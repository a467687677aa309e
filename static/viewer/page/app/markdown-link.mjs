/* markdown-link.mjs - a link in Markdown's notation to what the address bar shows. */
import { number } from "./dom.mjs";
import { DISCORD_MESSAGE } from "./limits.mjs";

const escapeLabel = (label) => label.replace(/[\\[\]]/g, "\\$&");
const destination = (url) => (/[()\s]/.test(url) ? `<${url.replace(/</g, "%3C").replace(/>/g, "%3E")}>` : url);

/** As codec/link.h says of the server's: the label without blanks around it; one of nothing else becomes the address. */
export const markdownLink = (label, url) => `[${escapeLabel(label.trim() || url)}](${destination(url)})`;

/** What to say of a link that is too long for a message, or null. */
export const lengthWarning = (link) =>
  link.length > DISCORD_MESSAGE
    ? `This Markdown link has ${number(link.length)} characters, more than the ${number(DISCORD_MESSAGE)} that Discord takes in a message.`
    : null;
