import { Controller, Get, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHttpApp } from './http-app';
import { takeOnlyWebSockets } from './requests/upgrades';
import { LOCAL_SETTINGS, portOf } from './testing/local-app';

/** More than the buffers of a connection hold. */
const LARGE = 'x'.repeat(32 * 1024 * 1024);
const UNREAD_ANSWER_MS = 1_000;
/** A slow reader pauses after so many bytes, which are more than the buffers of the kernel hold. */
const PAUSE_AFTER_BYTES = 8 * 1024 * 1024;
const PAUSE_MS = UNREAD_ANSWER_MS / 2;
/** A connection is cut within this time and another second. */
const IDLE_MS = 250;

@Controller('answers')
class AnswersController {
  @Get('large')
  large(): string {
    return LARGE;
  }

  @Get('soon')
  async soon(): Promise<string> {
    await new Promise(setImmediate); // so that the request was read to its end, and its connection is kept
    return 'soon';
  }

  @Get('late')
  async late(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 1.5 * UNREAD_ANSWER_MS));
    return 'late';
  }
}

@Module({ controllers: [AnswersController] })
class AnswersModule {}

describe('the answers of an app', () => {
  let app: NestFastifyApplication;
  let port: number;

  beforeAll(async () => {
    app = await createHttpApp(AnswersModule, LOCAL_SETTINGS, { name: 'answers', unreadAnswerMs: UNREAD_ANSWER_MS });
    await app.listen(0, '127.0.0.1');
    port = portOf(app.getHttpServer());
  });
  afterAll(() => app.close());

  const ask = async (path: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET /answers/${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
    return socket;
  };
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      app.getHttpServer().getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  const untilConnections = async (wanted: number) => {
    while ((await connections()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('do not keep the connection of a client that reads nothing', async () => {
    const socket = await ask('large');
    socket.on('error', () => undefined);
    await untilConnections(1);

    await untilConnections(0);

    socket.destroy();
  });

  it('arrive whole at a client that reads slowly', async () => {
    const socket = await ask('large');
    let bytes = 0;
    let pauseAt = PAUSE_AFTER_BYTES;
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length;
      if (bytes > LARGE.length) break;
      if (bytes < pauseAt) continue;
      pauseAt += PAUSE_AFTER_BYTES;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }

    expect(bytes).toBeGreaterThan(LARGE.length);
  });

  it('may be late, and the connection stays open after them', async () => {
    const socket = await ask('late');
    const [first] = (await once(socket, 'data')) as [Buffer];
    await new Promise((resolve) => setTimeout(resolve, 1.5 * UNREAD_ANSWER_MS));
    socket.write('GET /answers/none HTTP/1.1\r\nHost: here\r\n\r\n');
    const [second] = (await once(socket, 'data')) as [Buffer];

    expect(String(first)).toContain('late');
    expect(String(second)).toContain('404');
    socket.destroy();
  });
});

describe('the connections of an app', () => {
  let app: NestFastifyApplication;
  let socket: Socket;

  beforeEach(async () => {
    app = await createHttpApp(AnswersModule, LOCAL_SETTINGS, { name: 'answers', idleMs: IDLE_MS });
    takeOnlyWebSockets(app.getHttpServer(), (_request, taken) => {
      taken.on('data', (chunk) => taken.write(chunk)).on('end', () => taken.end());
      taken.write('taken');
    });
    await app.listen(0, '127.0.0.1');
    socket = await connected();
  });
  afterEach(async () => {
    socket.destroy();
    await app.close();
  });

  const connected = async (): Promise<Socket> => {
    const opened = connect(portOf(app.getHttpServer()), '127.0.0.1');
    opened.on('error', () => undefined);
    await once(opened, 'connect');
    return opened;
  };
  const ask = (path: string, on = socket) => on.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
  const untilCut = (cut: Socket) => new Promise((resolve) => cut.once('close', resolve));

  it('are cut when only empty lines come, before the first request and after an answer', async () => {
    app.getHttpServer().headersTimeout = IDLE_MS;
    const answered = await connected();
    ask('/answers/soon', answered);
    await once(answered, 'data');
    for (const each of [socket, answered]) each.resume();
    const writing = setInterval(() => [socket, answered].forEach((each) => each.write('\r\n')), IDLE_MS / 5);

    await Promise.all([untilCut(socket), untilCut(answered)]);

    clearInterval(writing);
  });

  it('are kept while a client that did not wait for an answer waits for the next', async () => {
    ask('/answers/soon');
    ask('/answers/late');
    let received = '';
    for await (const chunk of socket) if ((received += String(chunk)).endsWith('late')) break;

    expect(received).toMatch(/soon[^]*late$/);
  });

  it('are kept when they have become WebSockets', async () => {
    ask('/answers/soon');
    await once(socket, 'data');
    socket.write('GET /live HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await once(socket, 'data');
    const other = await connected();
    ask('/answers/soon', other);
    other.resume();
    await untilCut(other);
    socket.write('still there');
    const [echo] = (await once(socket, 'data')) as [Buffer];

    expect(String(echo)).toBe('still there');
  });
});
