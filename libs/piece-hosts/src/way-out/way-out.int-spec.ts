import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { leadingTo, TargetServers } from '../testing/target-server';
import { TrialHost } from '../testing/trial-host';
import type { InsideService } from '../process/host-process';
import { WayOut, type ResolveTarget } from './way-out';

const MB = 1024 * 1024;
let folder: string;
const targets = new TargetServers();
const hosts: TrialHost[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'way-out-'));
});
afterEach(async () => {
  jest.useRealTimers();
  for (const { host } of hosts.splice(0)) await host.stop();
  targets.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  source: string,
  options: Parameters<typeof TrialHost.start>[2],
  input: Record<string, unknown> = {},
): Promise<unknown> {
  const trial = await TrialHost.start(folder, `exports.one = piece({ act: action(${source}) });`, options);
  hosts.push(trial);
  const answer = await trial.act(input);
  return 'error' in answer ? answer.error : (answer.value as { output: unknown }).output;
}

describe('the way out of a host', () => {
  it.each([
    ['fetch', `async () => (await fetch('http://api.vendor.example/a')).text()`],
    [
      'http',
      `() => new Promise((done, fail) => require('http').get('http://api.vendor.example/a', (answer) => answer.on('data', (text) => done(String(text)))).on('error', fail))`,
    ],
  ])('leads requests of %s to the judged address', async (_name, source) => {
    const server = await targets.listening(
      createHttpServer((request, response) => response.end(`${request.headers.host}${request.url}`)),
    );
    const { resolve, asked } = leadingTo(server);

    expect(await run(source, { resolve })).toBe('api.vendor.example/a');
    expect(asked).toEqual(['api.vendor.example:80']);
  });

  it('passes protocols in which the server speaks first, and those in which the client does', async () => {
    const server = await targets.listening(
      createServer((socket) => {
        socket.write('welcome');
        socket.on('data', (text) => socket.end(`you said ${String(text)}`));
      }),
    );
    const source = `() => new Promise((done, fail) => {
      const heard = [];
      const socket = require('net').connect({ host: 'db.example', port: 5432 });
      socket.on('data', (text) => { heard.push(String(text)); if (heard.length === 1) socket.write('hello'); });
      socket.on('end', () => done(heard)).on('error', fail);
    })`;

    expect(await run(source, leadingTo(server))).toEqual(['welcome', 'you said hello']);
  });

  it('tells why a target is refused', async () => {
    const resolve: ResolveTarget = (host) => Promise.reject(new Error(`The target ${host} is not allowed.`));
    const source = `() => fetch('http://inside.example/').catch((error) => error.cause.message)`;

    expect(await run(source, { resolve })).toBe('The target inside.example is not allowed.');
  });

  it('ends with its host: neither look-ups nor connections that are being made go on', async () => {
    const looksUp = new Map<string, AbortSignal>();
    const resolve: ResolveTarget = (host, _port, signal) => {
      looksUp.set(host, signal);
      if (looksUp.size === 20) void hosts[0]?.host.stop();
      return new Promise(() => undefined);
    };
    const source = `() => new Promise(() => {
      for (let n = 0; n < 20; n++) require('net').connect(80, n + '.slow.example').on('error', () => undefined);
    })`;

    await expect(run(source, { resolve })).rejects.toThrow('The piece was stopped.');

    expect([...looksUp.values()].map(({ aborted }) => aborted)).toEqual(Array(20).fill(true));
  });

  it('bounds the open connections of a host, and further ones wait for their place', async () => {
    const server = await targets.listening(createServer((socket) => void socket.on('error', () => undefined).resume()));
    const source = `async ({ connections }) => {
      const net = require('net');
      const events = [];
      const connect = (name) => {
        const socket = net.connect(80, 'a.example', () => events.push(name));
        return { socket, opened: new Promise((done) => socket.once('connect', done)) };
      };
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(connect);
      await Promise.all([a.opened, b.opened]);
      for (let n = 0; n < 20; n++) await connections.get('none').catch(() => undefined); // asks after that for c
      events.push('a ends');
      a.socket.destroy();
      await c.opened;
      d.socket.destroy(); // it still waits, and takes no place
      b.socket.destroy();
      await connect('e').opened;
      return events;
    }`;

    const opened = await run(source, { ...leadingTo(server), connections: 2 });
    expect(opened).toEqual([expect.anything(), expect.anything(), 'a ends', 'c', 'e']);
  });

  it('leads as many requests of a client as it makes at once', async () => {
    let most = 0;
    const server = await targets.listening(
      createHttpServer((_request, response) => void setImmediate(() => response.end('hello'))).on('connection', () => {
        server.getConnections((_error, count) => (most = Math.max(most, count)));
      }),
    );
    const source = `async () => {
      const http = require('http');
      const url = 'http://api.vendor.example/';
      const get = (options) => new Promise((done, fail) => http.get(url, options, (answer) => answer.on('data', (text) => done(String(text)))).on('error', fail));
      const fetched = () => fetch(url).then((answer) => answer.text());
      const many = (request) => Promise.all(Array.from({ length: 200 }, request));
      const agent = new http.Agent({ keepAlive: true });
      const all = [await many(fetched), await many(() => get({})), await many(() => get({ agent }))];
      return all.map((texts) => [...new Set(texts), texts.length].join());
    }`;

    expect(await run(source, { ...leadingTo(server), connections: 50 })).toEqual(Array(3).fill('hello,200'));
    expect(most).toBeLessThanOrEqual(50);
  });

  it('counts a connection no longer that its target resets before the piece takes it', async () => {
    const server = await targets.listening(
      createServer((socket) => socket.on('error', () => undefined).resetAndDestroy()),
    );
    const source = `async () => {
      const net = require('net');
      const connect = () => new Promise((done) => net.connect(80, 'a.example').on('close', () => done('closed')).on('error', (error) => done(error.message)).resume());
      const all = new Set();
      for (let i = 0; i < 20; i++) all.add(await connect());
      return [...all].filter((each) => each.startsWith('A piece'));
    }`;

    expect(await run(source, { ...leadingTo(server), connections: 3 })).toEqual([]);
  });

  it('bounds the bytes of a call', async () => {
    const server = await targets.listening(
      createServer((socket) => socket.on('error', () => undefined).end(Buffer.alloc(3 * MB))),
    );
    const source = `async () => {
      const get = () => new Promise((done) => {
        let bytes = 0;
        require('net').connect(80, 'a.example').on('data', (piece) => { bytes += piece.length; }).on('error', ({ message }) => done(message)).on('close', () => done(bytes));
      });
      return [await get(), await get()];
    }`;

    const [bytes, next] = (await run(source, { ...leadingTo(server), bytesOfCall: MB })) as unknown[];
    expect(bytes).toBeLessThan(2 * MB);
    expect(next).toBe('A call of a piece has sent and got too much.');
  });

  it('counts pieces of few bytes for what they cost', async () => {
    const server = await targets.listening(createServer((socket) => socket.on('error', () => undefined).pipe(socket)));
    const source = `async () => {
      const socket = require('net').connect(80, 'a.example').on('error', () => undefined);
      let echoes = 0;
      socket.on('data', () => { echoes++; socket.write('x'); }).write('x');
      await new Promise((done) => socket.once('close', done));
      return echoes;
    }`;

    expect(await run(source, { ...leadingTo(server), bytesOfCall: 100 * 1024 })).toBe(50);
  });

  it('counts a connection that the host has left while its target does not read, and ends it', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    const events: string[] = [];
    const server = await targets.listening(
      createServer((socket) => {
        events.push('opened');
        socket.on('error', () => undefined).pause();
        socket.write(Buffer.alloc(4 * MB));
      }),
    );
    const wayOut = new WayOut(folder, leadingTo(server).resolve, { connections: 1, bytesOfCall: 1024 * MB });
    const leaving = connect(await wayOut.openTo('a.example', 80)).on('error', () => undefined);
    leaving.pause().write(Buffer.alloc(50 * MB));
    const far = (): Socket | undefined => [...wayOut['joined'].values()][0];
    while (!far()?.writableNeedDrain) await nextTurn();
    far()?.once('close', () => events.push('closed'));

    leaving.destroy();
    let isOpen = false;
    const next = wayOut.openTo('a.example', 80).finally(() => (isOpen = true));
    for (; !isOpen; await nextTurn()) jest.advanceTimersByTime(100);

    await next;
    expect(events).toEqual(['opened', 'closed', 'opened']);
    wayOut.close();
  });

  it('carries 100 MB without keeping them', async () => {
    const pieces = Array.from({ length: 100 }, () => Buffer.alloc(MB));
    const server = await targets.listening(createServer((socket) => Readable.from(pieces).pipe(socket)));
    const source = `() => new Promise((done, fail) => {
      let bytes = 0;
      require('net').connect(80, 'a.example').on('data', (piece) => { bytes += piece.length; }).on('error', fail).on('end', () => done(bytes));
    })`;
    const before = process.memoryUsage().rss;

    expect(await run(source, leadingTo(server))).toBe(100 * MB);
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MB);
  });

  it('lets nothing out while the worker commits what the host may give away', async () => {
    const events: string[] = [];
    const server = await targets.listening(
      createServer((socket) =>
        socket.on('data', (text) => {
          events.push(`sent ${text.toString()}`);
          socket.write(text);
        }),
      ),
    );
    const source = `async ({ generateResumeUrl, store }) => {
      const open = () => new Promise((done) => {
        const socket = require('net').connect(80, 'api.vendor.example', () => done(socket));
      });
      const say = (socket, text) => new Promise((done) => {
        socket.once('data', done);
        socket.write(text);
      });
      const old = await open();
      await say(old, 'before');
      generateResumeUrl({});
      const heard = say(old, 'on the open one');
      const next = open().then((socket) => say(socket, 'on the next one'));
      await store.get('sent');
      await Promise.all([heard, next]);
    }`;
    const trial = await TrialHost.start(
      folder,
      `exports.one = piece({ act: action(${source}) }, { getContextInfo: () => ({ version: '1' }) });`,
      leadingTo(server),
    );
    hosts.push(trial);
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((done) => (commit = done));
    const services = {
      'waits.open': () => committed,
      // The package has tried both by now.
      'store.get': async () => {
        events.push('committed');
        commit();
      },
    };

    await trial.act({}, { services, committing: ['waits.open'] });

    expect(events.slice(0, 2)).toEqual(['sent before', 'committed']);
    expect(events.slice(2).sort()).toEqual(['sent on the next one', 'sent on the open one']);
  });

  it('ends the connections of a call that has ended before the worker has committed', async () => {
    const server = await targets.listening(createServer((socket) => socket.on('error', () => undefined).pipe(socket)));
    const source = `async ({ generateResumeUrl }) => {
      const open = () => new Promise((done) => {
        const socket = require('net').connect(80, 'api.vendor.example', () => done(socket));
      });
      const say = (socket, text) => new Promise((done) => {
        socket.once('data', (answer) => done(String(answer)));
        socket.write(text);
      });
      if (!old) {
        old = await open();
        await say(old, 'before');
        generateResumeUrl({});
        throw new Error('Not now.');
      }
      if (!old.destroyed) await new Promise((done) => old.once('close', done));
      return say(await open(), 'on the next one');
    }`;
    const trial = await TrialHost.start(
      folder,
      `let old; exports.one = piece({ act: action(${source}) }, { getContextInfo: () => ({ version: '1' }) });`,
      leadingTo(server),
    );
    hosts.push(trial);
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((done) => (commit = done));
    const services = { 'waits.open': () => committed };

    const first = await trial.act({}, { services, committing: ['waits.open'] });
    expect(first).toMatchObject({ error: { message: 'Not now.' } });
    const second = await trial.act({}, { services, committing: ['waits.open'] });
    commit();

    expect(second).toMatchObject({ value: { output: 'on the next one' } });
  });

  it('lets nothing out when the worker could not commit it', async () => {
    const server = await targets.listening(createServer((socket) => socket.resume()));
    const source = `async ({ generateResumeUrl }) => {
      generateResumeUrl({});
      return fetch('http://api.vendor.example/').catch((error) => error.cause.message);
    }`;
    const { asked, resolve } = leadingTo(server);
    const trial = await TrialHost.start(
      folder,
      `exports.one = piece({ act: action(${source}) }, { getContextInfo: () => ({ version: '1' }) });`,
      { resolve },
    );
    hosts.push(trial);
    const commit = (): Promise<never> => Promise.reject(new Error('No database.'));

    const answer = await trial.act({}, { services: { 'waits.open': commit }, committing: ['waits.open'] });

    expect(answer).toMatchObject({ error: { message: 'No database.' } });
    expect(asked).toEqual([]);
  });

  describe('to a service inside of the worker', () => {
    /** Answers each connection with the name of the call, and leaves it open. */
    const inside = (call: string): InsideService => ({
      host: 'api.inside',
      port: 80,
      take: (socket) => void socket.resume().write(call),
    });
    const start = async (source: string, resolve?: ResolveTarget): Promise<TrialHost> => {
      const trial = await TrialHost.start(folder, `exports.one = piece({ act: action(${source}) });`, { resolve });
      hosts.push(trial);
      return trial;
    };
    const CONNECT = `const connect = (host, port) => new Promise((done) => {
      const socket = require('net').connect(port, host);
      socket.on('error', (error) => done(error.message)).once('data', (text) => done(String(text)));
      socket.once('close', () => done('closed'));
    });`;

    it('counts what the host sends while it comes', async () => {
      const source = `() => new Promise((done) => {
        const socket = require('net').connect(80, 'api.inside').on('error', () => undefined).on('close', () => done('closed'));
        socket.write(Buffer.alloc(8 * ${MB}), () => socket.destroyed || done('sent'));
      })`;
      const trial = await TrialHost.start(folder, `exports.one = piece({ act: action(${source}) });`, {
        bytesOfCall: MB,
      });
      hosts.push(trial);

      expect(await trial.act({}, { inside: inside('one') })).toMatchObject({ value: { output: 'closed' } });
    });

    it('leads there by its name and port alone, and to no address', async () => {
      const asked: string[] = [];
      const nowhere: ResolveTarget = (host, port) => {
        asked.push(`${host}:${port}`);
        return Promise.reject(new Error('refused'));
      };
      const trial = await start(
        `async () => {
          ${CONNECT}
          const targets = [['api.inside', 80], ['API.inside.', 80], ['api.inside', 3000], ['x.api.inside', 80]];
          return Promise.all(targets.map(([host, port]) => connect(host, port)));
        }`,
        nowhere,
      );

      expect(await trial.act({}, { inside: inside('one') })).toMatchObject({
        value: { output: ['one', 'one', 'api.inside is reached at the port 80 alone.', 'refused'] },
      });
      expect(await trial.act()).toMatchObject({ value: { output: ['refused', 'refused', 'refused', 'refused'] } });
      expect(asked.filter((each) => each === 'x.api.inside:80')).toHaveLength(2);
    });

    it('ends its connections with the call, and takes none of an earlier call', async () => {
      const trial = await start(`async ({ propsValue }) => {
        ${CONNECT}
        if (propsValue.first) {
          globalThis.kept = require('net').connect(80, 'api.inside');
          globalThis.closed = new Promise((done) => globalThis.kept.once('close', () => done('closed')));
          return new Promise((done) => globalThis.kept.once('data', (text) => done(String(text))));
        }
        return [await globalThis.closed, await connect('api.inside', 80)];
      }`);

      expect(await trial.act({ first: true }, { inside: inside('one') })).toMatchObject({ value: { output: 'one' } });
      expect(await trial.act({}, { inside: inside('two') })).toMatchObject({ value: { output: ['closed', 'two'] } });
    });
  });
});
