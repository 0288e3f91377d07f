/**
 * The world outside: a server that counts the calls of flows by their idempotency key. Some answers take their time, so
 * that faults meet calls in flight.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { portOf } from '../../tcp-ports.mjs';

/** Every so-many-th call is answered so late. */
const LATE_EVERY = 4;
const LATE_MS = 400;

export class EffectsServer {
  /** @type {{ key: string, number: number, at: number }[]} */
  calls = [];
  /** The calls that stay without an answer: their key, when they came, and when the caller gave up. */
  held = [];
  #server = createServer((request, answer) => void this.#receive(request, answer));

  static async start() {
    const effects = new EffectsServer();
    effects.#server.listen(0, '127.0.0.1');
    await once(effects.#server, 'listening');
    return effects;
  }

  get url() {
    return `http://127.0.0.1:${portOf(this.#server)}/effects`;
  }

  /** Calls to this address are never answered. */
  get holdingUrl() {
    return `http://127.0.0.1:${portOf(this.#server)}/hold`;
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #receive(request, answer) {
    const at = Date.now();
    const key = String(request.headers['idempotency-key']);
    if (request.url === '/hold') return this.#hold(key, at, request, answer);
    let body = '';
    try {
      for await (const bytes of request) body += bytes;
    } catch {
      return; // the caller was killed before it had sent everything, so nothing has happened
    }
    this.calls.push({ key, number: JSON.parse(body).number, at });
    const reply = () => answer.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
    if (this.calls.length % LATE_EVERY === 0) setTimeout(reply, LATE_MS);
    else reply();
  }

  #hold(key, at, request, answer) {
    const call = { key, at, leftAt: 0 };
    this.held.push(call);
    request.resume();
    answer.once('close', () => (call.leftAt = Date.now()));
  }
}
