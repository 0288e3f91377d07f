import { EntityNotFoundError, Metrics, METRICS, RateLimitedError } from '@millrace/domain';
import {
  Body,
  Controller,
  Get,
  HttpException,
  Module,
  Param,
  Post,
  RawBody,
  ServiceUnavailableException,
} from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsString } from 'class-validator';
import { connect } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { BodyLimits, DEFAULT_BODY_LIMIT, TakesFiles, type BodyLimit } from './bodies/route-bodies.decorator';
import type { AppMetrics } from './metrics/app-metrics';
import { HealthModule } from './health/health.module';
import { createHttpApp } from './http-app';
import { ReadinessChecks } from './health/readiness';
import { RequestValidationPipe } from './requests/request-validation.pipe';
import { LOCAL_SETTINGS, portOf } from './testing/local-app';

class NoteDto {
  @IsString()
  text: string;
}

const LARGE: BodyLimit = { bytes: 2 * 1024 * 1024, depth: 300 };
const HELD = 4 * LARGE.bytes;
const limitOf = (body: unknown): BodyLimit => ((body as { big?: boolean }).big ? LARGE : DEFAULT_BODY_LIMIT);

@Controller('things')
class ThingsController {
  @Get(':id')
  read(@Param('id') id: string): string {
    if (id === 'bug') throw new Error('select * from secrets at /srv/app/db.ts');
    if (id === 'often') throw new RateLimitedError(7, undefined, 60);
    if (id === 'too-often') throw new HttpException('', 429);
    if (id === 'away') throw new ServiceUnavailableException('pool of 10.0.0.1 is gone');
    throw new EntityNotFoundError('flow', id);
  }

  @Post()
  write(@Body() body: NoteDto): NoteDto {
    return body;
  }

  @Post('large')
  @BodyLimits({ ...LARGE, limitOf })
  large(@Body() body: unknown): string[] {
    return Object.keys(body as object);
  }
}

@Controller('files')
class FilesController {
  @Post()
  @TakesFiles(LARGE.bytes)
  keep(@RawBody() content: Buffer | undefined): { content: string } {
    return { content: String(content) };
  }
}

let reachable = true;

class Checks extends ReadinessChecks {
  readonly needed = { database: () => Promise.resolve(reachable) };
}

@Module({
  imports: [HealthModule.forRoot(Checks)],
  controllers: [ThingsController, FilesController],
  providers: [{ provide: APP_PIPE, useClass: RequestValidationPipe }],
})
class ThingsModule {}

const COUNTED_APART = { metric: METRICS.webhooksRefused, routes: new Set(['/things/:id']) };

const settings = { ...LOCAL_SETTINGS, SVC_TRUSTED_PROXIES: ['loopback'] };

describe('createHttpApp', () => {
  let app: NestFastifyApplication;
  let port: number;

  beforeAll(async () => {
    app = await createHttpApp(ThingsModule, settings, {
      name: 'things',
      heldBodyBytes: HELD,
      countedApart: COUNTED_APART,
    });
    await app.listen(0, '127.0.0.1');
    port = portOf(app.getHttpServer());
  });

  afterAll(() => app.close());

  const ask = (method: string, path: string, body?: string, type = 'application/json'): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      body,
      headers: body === undefined ? {} : { 'content-type': type },
    });

  it('counts the error answers of some routes apart', async () => {
    const counted = async (metric: string) => {
      const { text } = await app.get<unknown, AppMetrics>(Metrics).write();
      return Number(new RegExp(`^${metric}{code="RATE_LIMITED"} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    };
    const [all, apart] = [
      await counted('millrace_answers_refused_total'),
      await counted('millrace_webhooks_refused_total'),
    ];

    await ask('GET', '/things/often');
    await ask('GET', '/nowhere');

    expect(await counted('millrace_answers_refused_total')).toBe(all + 1);
    expect(await counted('millrace_webhooks_refused_total')).toBe(apart + 1);
  });

  /** Returns all that the server sends on a TCP connection until it closes the connection. */
  const send = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it.each([
    ['GET', '/nowhere', undefined, 404, 'ROUTE_NOT_FOUND'],
    ['PUT', '/things/1', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/things/1', undefined, 404, 'ENTITY_NOT_FOUND'],
    ['GET', '/things/%zz', undefined, 400, 'VALIDATION'],
    ['GET', '/things/bug', undefined, 500, 'INTERNAL_ERROR'],
    ['GET', '/things/often', undefined, 429, 'RATE_LIMITED'],
    ['GET', '/things/away', undefined, 503, 'SERVICE_UNAVAILABLE'],
    ['POST', '/things', '{bad', 400, 'VALIDATION'],
    ['POST', '/things', '', 400, 'VALIDATION'],
    ['POST', '/things', '[]', 400, 'VALIDATION'],
    ['POST', '/things', 'null', 400, 'VALIDATION'],
    ['POST', '/things', '{"text":1}', 400, 'VALIDATION'],
    ['POST', '/things', '{"text":"a","more":1}', 400, 'VALIDATION'],
    ['POST', '/things', '{"text":"a","__proto__":{}}', 400, 'VALIDATION'],
    ['POST', '/things', '{"text":"a","constructor":{}}', 400, 'VALIDATION'],
    ['POST', '/things', `{"text":"${'x'.repeat(1024 * 1024)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['POST', '/things', `{"text":${'['.repeat(128)}${']'.repeat(128)}}`, 400, 'VALIDATION'],
    ['POST', '/things/large', `{"x":"${'x'.repeat(1024 * 1024)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['POST', '/things/large', `{"x":${'['.repeat(200)}${']'.repeat(200)}}`, 400, 'VALIDATION'],
  ])('answers %s %s %.20s with %d %s in the one shape', async (method, path, body, status, code) => {
    const answer = await ask(method, path, body);
    const error = (await answer.json()) as { params: { message: string } };
    expect(answer.status).toBe(status);
    expect(error).toEqual({
      statusCode: status,
      code,
      params: expect.objectContaining({ message: expect.any(String) }),
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(error)).not.toMatch(/select|\/srv|10\.0\.0\.1|at Object/);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=shift_jis'])(
    'refuses a body of type %s',
    async (type) => {
      const answer = await ask('POST', '/things', '{"text":"a"}', type);
      expect(await answer.json()).toMatchObject({ statusCode: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    },
  );

  it('says when to come back', async () => {
    const headersOf = async (path: string) => {
      const { headers } = await ask('GET', path);
      return ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) =>
        headers.get(name),
      );
    };
    expect(await headersOf('/things/often')).toEqual(['7', '60', '0', '7']);
    expect(await headersOf('/things/too-often')).toEqual(['5', null, '0', '5']);
    expect(await headersOf('/things/away')).toEqual(['5', null, null, null]);
  });

  it('names the limit that a body passed', async () => {
    const answer = await ask('POST', '/things', `{"text":"${'x'.repeat(1024 * 1024)}"}`);
    expect(await answer.json()).toMatchObject({ params: { limitBytes: 1024 * 1024 } });
  });

  it('lets a route take larger and deeper bodies, where its rule says so', async () => {
    const deep = `{"big":true,"x":${'['.repeat(200)}${']'.repeat(200)},"y":"${'x'.repeat(1024 * 1024)}"}`;
    const answer = await ask('POST', '/things/large', deep);
    expect(await answer.json()).toEqual(['big', 'x', 'y']);
  });

  it.each(['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'image/png', 'x/y; charset=utf-16'])(
    'leaves a body of type %s as it is where files are taken',
    async (type) => {
      const answer = await ask('POST', '/files', '{"a=%00', type);
      expect(await answer.json()).toEqual({ content: '{"a=%00' });
    },
  );

  it('names the limit that a file passed', async () => {
    const answer = await ask('POST', '/files', 'x'.repeat(LARGE.bytes + 1), 'text/plain');
    expect(await answer.json()).toMatchObject({ statusCode: 413, params: { limitBytes: LARGE.bytes } });
  });

  const sendCoded = (path: string, coding: string, body: Buffer): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': coding },
      body: new Uint8Array(body),
    });
  const NOTE = Buffer.from('{"text":"a"}');

  it.each([
    ['gzip', gzipSync(NOTE)],
    ['x-gzip', gzipSync(NOTE)],
    ['deflate', deflateSync(NOTE)],
    ['deflate', deflateRawSync(NOTE)],
    ['br', brotliCompressSync(NOTE)],
    ['identity', NOTE],
  ])('takes a body that is compressed as %s', async (coding, body) => {
    expect(await (await sendCoded('/things', coding, body)).json()).toEqual({ text: 'a' });
  });

  it.each([
    ['another coding', 'zstd', NOTE, 415],
    ['two codings', 'gzip, br', NOTE, 415],
    ['what is not gzip', 'gzip', NOTE, 400],
    ['br with something after its end', 'br', Buffer.concat([brotliCompressSync(NOTE), Buffer.from('{}')]), 400],
    ['deflate with something after its end', 'deflate', Buffer.concat([deflateSync(NOTE), NOTE]), 400],
    ['gzip with something after its end', 'gzip', Buffer.concat([gzipSync(NOTE), NOTE]), 400],
    ['half of it', 'gzip', gzipSync(NOTE).subarray(0, 20), 400],
    ['a small body that becomes a large one', 'gzip', gzipSync(Buffer.alloc(50 * 1024 * 1024)), 413],
  ])('refuses %s', async (_what, coding, body, status) => {
    expect(await (await sendCoded('/things', coding, body)).json()).toMatchObject({ statusCode: status });
  });

  it('decodes JSON by its charset, and refuses bytes that are none', async () => {
    const post = async (type: string, body: Buffer) => {
      const init = { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(body) };
      return (await fetch(`http://127.0.0.1:${port}/things`, init)).json();
    };
    const text = '{"text":"ü"}';
    expect(await post('application/json; charset=utf-16', Buffer.from(text, 'utf16le'))).toEqual({ text: 'ü' });
    expect(await post('application/json; charset=iso-8859-1', Buffer.from(text, 'latin1'))).toEqual({ text: 'ü' });
    expect(await post('application/json; charset=utf-8', Buffer.from(text, 'latin1'))).toMatchObject({
      statusCode: 415,
    });
    expect(await post('application/json', Buffer.from(text, 'latin1'))).toMatchObject({ statusCode: 400 });
  });

  /** Sends a head and then an endless body, until the answer has been received. */
  const sendForever = (head: string, chunk: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(head));
      const keepSending = (): void => {
        while (!socket.writableEnded && socket.write(chunk));
      };
      socket.on('connect', keepSending);
      socket.on('drain', keepSending);
      socket.on('data', (data) => (answer += data.toString()));
      socket.on('end', () => {
        socket.end();
        resolve(answer);
      });
      socket.on('error', reject);
    });

  const MEGABYTE = 'x'.repeat(1024 * 1024);

  it.each([
    ['a length of 100 MB', `Content-Length: ${100 * 1024 * 1024}`, MEGABYTE],
    ['chunks without end', 'Transfer-Encoding: chunked', `100000\r\n${MEGABYTE}\r\n`],
  ])('lets a sender of %s read that it is too much', async (_what, header, chunk) => {
    const head = `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
    const answer = await sendForever(head, chunk);
    expect(answer).toMatch(/^HTTP\/1.1 413 [^]*connection: close[^]*PAYLOAD_TOO_LARGE/);
  });

  it('refuses a body beside others that fill its memory, and takes small ones', async () => {
    const head = (bytes: number): string =>
      `POST /files HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: ${bytes}\r\n\r\n`;
    const holders = Array.from({ length: HELD / LARGE.bytes }, () => connect(port, '127.0.0.1'));
    await Promise.all(holders.map((socket) => new Promise((sent) => socket.write(`${head(LARGE.bytes)}x`, sent))));
    const refused = await untilIt(
      async () => (await ask('POST', '/files', 'x'.repeat(LARGE.bytes), 'a/b')).status === 503,
    );
    const small = await ask('POST', '/files', 'x', 'a/b');

    for (const socket of holders) socket.destroy();
    expect(refused).toBe(true);
    expect(small.status).toBe(201);
    expect(
      await untilIt(async () => (await ask('POST', '/files', 'x'.repeat(LARGE.bytes), 'a/b')).status === 201),
    ).toBe(true);
  });

  /** Waits until the server has read the bytes that were written. */
  async function untilIt(isSo: () => Promise<boolean>): Promise<boolean> {
    for (const deadline = Date.now() + 2_000; Date.now() < deadline;) if (await isSo()) return true;
    return false;
  }

  const postOf = (more: string): string =>
    `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Connection: close\r\n\r\n`;

  it('asks for a body that is expected', async () => {
    const answer = await send(`${postOf('Expect: 100-continue\r\nContent-Length: 12\r\n')}{"text":"a"}`);
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  it('refuses a body that is too large instead of asking for it', async () => {
    const answer = await send(postOf('Expect: 100-continue\r\nContent-Length: 99999999\r\n'));
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  it('puts U+FFFD for what cannot be stored', async () => {
    const answer = await ask('POST', '/things', String.raw`{"text":"a\u0000b\ud800"}`);
    expect(await answer.json()).toEqual({ text: 'a\ufffdb\ufffd' });
  });

  it.each([
    ['a negative length', 'GET /things/1 HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['two lengths', 'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 20\r\n\r\n{}', 400],
    ['headers that are too large', `GET /things/1 HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['no Host', 'GET /things/1 HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an unknown expectation', 'GET /things/1 HTTP/1.1\r\nHost: x\r\nExpect: gold\r\nConnection: close\r\n\r\n', 417],
    ['CONNECT', 'CONNECT /things HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ])('answers %s, which is refused before any route is asked, in the one shape', async (_what, text, status) => {
    const [head = '', body = ''] = (await send(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*x-request-id: `));
    expect(JSON.parse(body)).toMatchObject({ statusCode: status, params: { message: expect.any(String) } });
  });

  it('lives, and has neither started nor is ready, while a check fails that it needs', async () => {
    reachable = false;
    const [live, ready, startup] = await Promise.all(
      ['live', 'ready', 'startup'].map((probe) => ask('GET', `/api/v1/health/${probe}`)),
    );
    reachable = true;

    expect(live?.status).toBe(200);
    expect(ready?.status).toBe(503);
    expect(await ready?.json()).toEqual({ ready: false, checks: { database: false } });
    expect(startup?.status).toBe(503);
    expect(await startup?.json()).toEqual({ started: false });
  });
});
