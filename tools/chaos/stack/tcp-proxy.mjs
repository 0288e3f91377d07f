/**
 * A network between an app and a store that can fail. Each app has its own for each store.
 *
 * N1. While it is cut, nothing is lost and nothing arrives, as behind a switch without power: neither side hears that
 *     the other is gone. New connections are taken and stay without an answer.
 * N2. While it is slow, every byte arrives later by the same time, in order.
 * N3. It counts what it did, so that a fault can be proven.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { portOf } from '../../tcp-ports.mjs';

export class TcpProxy {
  /** What was done to connections since the last `startCounting`. */
  counts = newCounts();
  #server = createServer((near) => this.#take(near));
  /** @type {Set<import('node:net').Socket>} both sockets of each connection */
  #sockets = new Set();
  #cutOff = false;
  #delayMs = 0;
  /** The connections that came while the network was cut. */
  #waiting = [];

  /** @param {() => number} targetPort the port of the store, which may move */
  constructor(targetPort) {
    this.targetPort = targetPort;
  }

  async open() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port() {
    return portOf(this.#server);
  }

  startCounting() {
    this.counts = newCounts();
  }

  cut() {
    this.#cutOff = true;
    this.counts.silenced += this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.pause();
  }

  slowDown(delayMs) {
    this.#delayMs = delayMs;
  }

  /** Ends every connection with a reset on both sides. New ones are passed on. */
  reset() {
    this.counts.reset += this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  heal() {
    this.#cutOff = false;
    this.#delayMs = 0;
    for (const socket of this.#sockets) socket.resume();
    for (const near of this.#waiting.splice(0)) this.#pass(near);
  }

  close() {
    this.#server.close();
    for (const socket of [...this.#sockets, ...this.#waiting]) socket.destroy();
  }

  #take(near) {
    near.setNoDelay(true);
    near.on('error', () => near.destroy()); // also while it waits for the network
    if (!this.#cutOff) return this.#pass(near);
    this.counts.unanswered++;
    near.pause();
    this.#waiting.push(near);
  }

  #pass(near) {
    if (near.destroyed) return;
    const far = connect({ port: this.targetPort(), host: '127.0.0.1', noDelay: true });
    far.on('error', () => far.destroy()); // the store is down, and the other side learns it by the end
    this.#passFrom(near, far);
    this.#passFrom(far, near);
    near.resume();
  }

  #passFrom(from, to) {
    this.#sockets.add(from);
    /** What is on its way to the other side, the oldest first, with the moment at which it arrives. */
    const underWay = [];
    from.on('data', (bytes) => this.#send(bytes, underWay, from, to));
    from.on('close', () => {
      this.#sockets.delete(from);
      const isOver = () => !this.#cutOff && underWay.length === 0;
      if (isOver()) to.destroy();
      else this.#once(isOver, () => to.destroy());
    });
  }

  /** Nothing overtakes what was sent before it, also when the network has become faster meanwhile. */
  #send(bytes, underWay, from, to) {
    if (this.#delayMs === 0 && underWay.length === 0) return this.#write(bytes, from, to);
    if (this.#delayMs > 0) this.counts.delayed += bytes.length;
    const arrivesAt = Math.max(performance.now() + this.#delayMs, underWay.at(-1)?.arrivesAt ?? 0);
    underWay.push({ arrivesAt, bytes });
    if (underWay.length === 1) this.#deliver(underWay, from, to);
  }

  #deliver(underWay, from, to) {
    setTimeout(
      () => {
        while (underWay.length > 0 && underWay[0].arrivesAt <= performance.now())
          this.#write(underWay.shift().bytes, from, to);
        if (underWay.length > 0) this.#deliver(underWay, from, to);
      },
      Math.max(0, underWay[0].arrivesAt - performance.now()),
    );
  }

  #write(bytes, from, to) {
    if (to.destroyed || to.write(bytes)) return;
    from.pause();
    to.once('drain', () => {
      if (!this.#cutOff) from.resume();
    });
  }

  /** Behind a cut network the other side does not learn that the peer has ended, and the end overtakes no bytes. */
  #once(isSo, work) {
    const look = setInterval(() => {
      if (!isSo()) return;
      clearInterval(look);
      work();
    }, 50);
  }
}

const newCounts = () => ({ silenced: 0, unanswered: 0, reset: 0, delayed: 0 });
