import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { portOf } from '../../tcp-ports.mjs';
import { TcpProxy } from './tcp-proxy.mjs';

describe('the network between an app and a store', () => {
  const store = createServer((socket) => {
    socket.on('data', (bytes) => socket.write(bytes));
    socket.on('error', () => socket.destroy());
  });
  /** @type {TcpProxy} */
  let proxy;

  before(async () => {
    store.listen(0, '127.0.0.1');
    await once(store, 'listening');
    proxy = await new TcpProxy(() => portOf(store)).open();
  });
  after(() => {
    proxy.close();
    store.close();
  });

  async function client() {
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }
  const echoOf = async (socket, word) => {
    socket.write(word);
    return String((await once(socket, 'data'))[0]);
  };

  it('passes on what is sent, both ways', async () => {
    const socket = await client();
    assert.equal(await echoOf(socket, 'hello'), 'hello');
    socket.destroy();
  });

  it('keeps back what is sent while it is cut, on old and new connections, and delivers it afterwards', async () => {
    const old = await client();
    await echoOf(old, 'open');
    proxy.startCounting();
    proxy.cut();
    let arrived = '';
    old.on('data', (bytes) => (arrived += bytes));
    old.write('a');
    const late = await client();
    late.on('data', (bytes) => (arrived += bytes));
    late.write('b');
    while (proxy.counts.unanswered === 0) await new Promise(setImmediate);
    assert.equal(arrived, '');

    proxy.heal();
    while (arrived.length < 2) await new Promise(setImmediate);
    assert.deepEqual([...arrived].sort(), ['a', 'b']);
    assert.deepEqual(proxy.counts, { silenced: 1, unanswered: 1, reset: 0, delayed: 0 });
    old.destroy();
    late.destroy();
  });

  it('delays what is sent, in order', async () => {
    const socket = await client();
    await echoOf(socket, 'open');
    proxy.startCounting();
    proxy.slowDown(20);
    let arrived = '';
    socket.on('data', (bytes) => (arrived += bytes));
    const began = performance.now();
    for (const word of ['one ', 'two ', 'three']) {
      socket.write(word);
      await new Promise(setImmediate);
    }
    while (arrived.length < 13) await once(socket, 'data');

    assert.equal(arrived, 'one two three');
    assert.ok(performance.now() - began >= 39, 'both ways take at least 40 ms together');
    assert.equal(proxy.counts.delayed, 26);
    proxy.heal();
    socket.destroy();
  });

  it('lets nothing overtake what was sent while it was slow', async () => {
    const socket = await client();
    await echoOf(socket, 'open');
    let arrived = '';
    socket.on('data', (bytes) => (arrived += bytes));
    proxy.startCounting();
    proxy.slowDown(50);
    socket.write('first ');
    while (proxy.counts.delayed === 0) await new Promise(setImmediate);
    proxy.heal();
    socket.write('second');
    while (arrived.length < 12) await once(socket, 'data');

    assert.equal(arrived, 'first second');
    socket.destroy();
  });

  it('resets what is open, and passes new connections on', async () => {
    const socket = await client();
    await echoOf(socket, 'open');
    proxy.startCounting();
    proxy.reset();
    await assert.rejects(once(socket, 'close'), { code: 'ECONNRESET' });
    assert.equal(proxy.counts.reset, 1);

    const next = await client();
    assert.equal(await echoOf(next, 'hello'), 'hello');
    next.destroy();
  });
});
