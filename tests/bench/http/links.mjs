/* links.mjs - fills a server with links, over a few connections that send many requests ahead. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import net from "node:net";

const CONNECTIONS = 8;
const AHEAD = 50;

/** POSTs `count` payloads over one connection; gives the ids. */
function postOver(port, count, characters) {
  return new Promise((resolve, reject) => {
    const ids = [];
    let sent = 0;
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => sendSome());
    const sendSome = () => {
      let bytes = "";
      for (; sent < count && sent - ids.length < AHEAD; sent++) {
        const payload = randomBytes(characters).toString("base64url").slice(0, characters - 1);
        const body = `{"payload":"b${payload}"}`;
        bytes += `POST /api/artifacts HTTP/1.1\r\nHost: bench\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      }
      if (bytes) socket.write(bytes);
    };
    socket.setEncoding("latin1");
    socket.on("data", (piece) => {
      text += piece;
      const pattern = /HTTP\/1\.1 (\d+)|"id":"([0-9a-f-]{36})"/g;
      let end = 0;
      for (let found; (found = pattern.exec(text)); end = pattern.lastIndex) {
        if (found[1] && found[1] !== "201") return reject(new Error(text.slice(found.index, found.index + 500)));
        if (found[2]) ids.push(found[2]);
      }
      text = text.slice(Math.max(end, text.length - 60)); // what may be the beginning of a match
      if (ids.length === count) {
        socket.destroy();
        resolve(ids);
      } else sendSome();
    });
    socket.once("error", reject);
  });
}

/** Stores `count` links with payloads of so many characters; gives their ids. */
export async function makeLinks(server, count, characters) {
  const share = Math.ceil(count / CONNECTIONS);
  const lists = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, i) => postOver(server.port, Math.min(share, count - i * share), characters)),
  );
  const ids = lists.flat();
  assert.equal(new Set(ids).size, count);
  return ids;
}
