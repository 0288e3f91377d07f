// Thousands of senders, each with a connection of its own that it keeps. Together they send at an even rate, however late
// the answers come (an open loop). They write to their sockets themselves: the HTTP client of Node would need as much of
// the machine as the service, and its own delay would be measured.
import { connect } from 'node:net';
import { once } from 'node:events';
import { quantile } from './quantile.mjs';

/** So many connect at once, so that none is turned away before the load begins. */
const CONNECT_AT_ONCE = 200;
const GIVE_UP_AFTER_MS = 60_000;

const quantiles = (values) => ({
  p50: quantile(values, 0.5),
  p99: quantile(values, 0.99),
  max: quantile(values, 0.9999),
});

/** One sender. `send` resolves to the status of the answer, or to what ended the connection. */
class Sender {
  /** @type {import('node:net').Socket | undefined} */
  socket;

  constructor(/** @type {URL} */ url) {
    this.url = url;
    this.text = '';
    this.answered = null;
  }

  async connect() {
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    socket.setEncoding('latin1');
    socket.on('data', (text) => this.read(text));
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => this.finish(error.code));
    socket.on('close', () => this.finish('closed'));
    await once(socket, 'connect');
    return socket;
  }

  async send(request) {
    const socket = this.socket?.writable ? this.socket : await this.connect();
    this.socket = socket;
    return new Promise((resolve) => {
      this.answered = resolve;
      socket.write(request);
    });
  }

  read(text) {
    this.text += text;
    const head = this.text.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.text)?.[1] ?? 0);
    if (this.text.length < head + 4 + length) return;
    this.finish(Number(this.text.slice(9, 12)));
  }

  finish(outcome) {
    this.text = '';
    const { answered } = this;
    this.answered = null;
    answered?.(outcome);
  }
}

/** The kernel connects before the service accepts, so each sender also waits for an answer. */
async function connectAll(url, amount) {
  const senders = Array.from({ length: amount }, () => new Sender(url));
  const greeting = `GET /api/v1/health/live HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`;
  for (let from = 0; from < amount; from += CONNECT_AT_ONCE)
    await Promise.all(senders.slice(from, from + CONNECT_AT_ONCE).map((sender) => sender.send(greeting)));
  return senders;
}

process.once('message', async ({ url: address, headers, body, rate, duration, connections }) => {
  const url = new URL(address);
  const lines = Object.entries({ host: url.host, ...headers, 'content-length': Buffer.byteLength(body) });
  const head = [`POST ${url.pathname} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  const request = `${head.join('\r\n')}\r\n\r\n${body}`;
  const free = await connectAll(url, connections);
  const outcomes = {};
  const accepted = [];
  /** How much later than planned the requests were written: the delay of the senders themselves. */
  const late = [];
  const waiting = [];

  const give = async (sender, planned) => {
    late.push(performance.now() - planned);
    const outcome = await sender.send(request).catch((error) => error.code);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === 200) accepted.push(performance.now() - planned);
    const next = waiting.shift();
    if (next === undefined) free.push(sender);
    else void give(sender, next);
  };

  const start = performance.now();
  const total = rate * duration;
  const answers = () => Object.values(outcomes).reduce((sum, each) => sum + each, 0);
  for (let sent = 0; sent < total; await new Promise((resolve) => setTimeout(resolve, 1))) {
    const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1_000));
    for (; sent < due; sent++) {
      const planned = start + ((sent + 1) * 1_000) / rate;
      const sender = free.shift();
      if (sender) void give(sender, planned);
      else waiting.push(planned);
    }
  }
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  while (answers() < total && performance.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 20));
  if (answers() < total) outcomes.unanswered = total - answers();
  process.send?.({ outcomes, latency: quantiles(accepted), late: quantiles(late) }, () => process.exit());
});
