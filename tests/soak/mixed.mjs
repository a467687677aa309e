/*
 * mixed.mjs - many clients that do everything a client can do, at random, and know what is right.
 *
 * Each client has links of its own and keeps what must be behind them; deeds.mjs says what it does.
 * Whatever is not the right answer ends the run with an error that names the deed. A run is given by
 * its seed but for how the clients' requests meet.
 */
import assert from "node:assert/strict";
import http from "node:http";
import { DEEDS } from "./deeds.mjs";

/** Numbers at random that a seed decides: mulberry32. */
export class Dice {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  /** 0 to below n */
  below(n) {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  }
  oneOf(list) {
    return list[this.below(list.length)];
  }
}

const TOTAL_WEIGHT = DEEDS.reduce((sum, [weight]) => sum + weight, 0);
function anyDeed(dice) {
  let at = dice.below(TOTAL_WEIGHT);
  return DEEDS.find(([weight]) => (at -= weight) < 0);
}

export class Client {
  constructor(load, number) {
    this.load = load;
    this.server = load.server;
    this.number = number;
    this.dice = new Dice(load.seed * 1009 + number);
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    this.links = []; // { id, key, payload } and, made from an envelope, { text }
    this.made = 0;
  }

  /** One request; gives { status, headers, text } with `body` where that is JSON. */
  ask(method, path, { json, body, key, headers = {} } = {}) {
    this.load.requests++;
    const sent = { ...headers };
    const bytes = json === undefined ? body : JSON.stringify(json);
    if (key !== undefined) sent.Authorization = `Bearer ${key}`;
    if (bytes !== undefined) sent["Content-Length"] = Buffer.byteLength(bytes);
    return new Promise((resolve, reject) => {
      const request = http.request({ agent: this.agent, host: "127.0.0.1", port: this.server.port, method, path, headers: sent }, (answer) => {
        let text = "";
        answer.setEncoding(answer.headers["content-encoding"] ? "latin1" : "utf8");
        answer.on("data", (piece) => (text += piece));
        answer.once("error", reject);
        answer.once("end", () => {
          const { statusCode: status, headers: got } = answer;
          const isJson = text && got["content-type"]?.startsWith("application/json") && !got["content-encoding"];
          resolve({ status, headers: got, text, body: isJson ? JSON.parse(text) : undefined });
        });
      });
      request.once("error", reject);
      request.end(bytes);
    });
  }

  /** The same, which must have that status. */
  async want(status, method, path, options) {
    const answer = await this.ask(method, path, options);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  }

  /**
   * The same for what takes workers: too many at once are told to come again, and what waited too
   * long is given up. Those are counted and give null.
   */
  async wantWorked(status, method, path, options) {
    const answer = await this.ask(method, path, options);
    if (answer.status === 503 || answer.status === 504) {
      assert.equal(answer.body.code, answer.status === 503 ? "busy" : "deadline");
      if (answer.status === 503) assert.match(answer.headers["retry-after"], /^[1-9]\d*$/);
      this.load.turnedAway++;
      return null;
    }
    assert.equal(answer.status, status, `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  }

  /** A payload nobody else stores, which no codec reads. */
  newPayload() {
    const size = this.dice.oneOf([20, 300, 2000, 2000, 9000, 60_000]);
    return `?${this.number}.${this.made++}.`.padEnd(size, "0123456789abcdefghijklmnopqrstuvwxyz~");
  }

  /** Text of which each piece is new. */
  newText() {
    const lines = Array.from({ length: this.dice.oneOf([1, 10, 10, 100]) }, () => `- item ${this.dice.below(1e6)} is ${this.dice.oneOf(["done", "late", "“open”"])}`);
    return `# Report ${this.number}.${this.made++}\n\n${lines.join("\n")}\n`;
  }

  keep(link) {
    this.links.push(link);
    this.load.created++;
  }

  anyLink() {
    return this.links.length > 0 ? this.dice.oneOf(this.links) : null;
  }

  forget(link) {
    this.links.splice(this.links.indexOf(link), 1);
  }

  async checkLink({ id, payload }) {
    const { body } = await this.want(200, "GET", `/api/artifacts/${id}`);
    assert.equal(body.id, id);
    assert.equal(body.payload, payload);
  }

  async work() {
    while (!this.load.isOver()) {
      const [, name, deed] = anyDeed(this.dice);
      try {
        await deed(this);
      } catch (error) {
        this.load.fail(new Error(`${name} (seed ${this.load.seed}): ${error.message}`, { cause: error }));
      }
      this.load.deeds[name] = (this.load.deeds[name] ?? 0) + 1;
    }
  }
}

/** clients, seed; the server's address is not limited in rate. */
export class MixedLoad {
  constructor(server, { clients = 24, seed = 1 } = {}) {
    this.server = server;
    this.seed = seed;
    this.requests = 0;
    this.created = 0;
    this.turnedAway = 0;
    this.deeds = {};
    this.error = null;
    this.clients = Array.from({ length: clients }, (_, number) => new Client(this, number));
  }

  fail(error) {
    this.error ??= error;
  }

  isOver() {
    return this.error !== null || this.server.how !== undefined || performance.now() >= this.end || this.requests >= this.last;
  }

  /** Works until `seconds` are over or `requests` have been made, whichever is first. */
  async run({ seconds = Infinity, requests = Infinity }) {
    this.end = performance.now() + seconds * 1000;
    this.last = this.requests + requests;
    await Promise.all(this.clients.map((client) => client.work()));
    if (this.error) throw this.error;
    assert.equal(this.server.how, undefined, `arxd ended: ${this.server.output}`);
  }

  /** Whatever was answered 201 and not deleted since is there; gives how many that are. */
  async check() {
    await Promise.all(
      this.clients.map(async (client) => {
        for (const link of client.links) await client.checkLink(link);
      }),
    );
    return this.clients.reduce((sum, { links }) => sum + links.length, 0);
  }

  close() {
    for (const { agent } of this.clients) agent.destroy();
  }
}
