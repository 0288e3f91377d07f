import { ServiceUnavailableError } from '@millrace/domain';
import { Controller, Get, Module, Post, type BeforeApplicationShutdown } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { HealthModule } from './health/health.module';
import { answerProbesWhile } from './health/probes-at-start';
import { ReadinessChecks } from './health/readiness';
import { createHttpApp } from './http-app';
import { closeInOrder, listen, runApp, type App } from './run-app';
import { LOCAL_SETTINGS, portOf } from './testing/local-app';

/** A promise that a test resolves. */
class Signal {
  private readonly events = new EventEmitter();
  readonly given = once(this.events, 'given');

  give(): void {
    this.events.emit('given');
  }
}

/** An app whose shutdown and whose answer wait until the test resolves them. */
@Controller('slow')
class SlowController implements BeforeApplicationShutdown {
  readonly asked = new Signal();
  readonly mayAnswer = new Signal();
  readonly mayStop = new Signal();

  @Get()
  async read(): Promise<object> {
    this.asked.give();
    await this.mayAnswer.given;
    return {};
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.mayStop.given;
  }
}

class NoChecks extends ReadinessChecks {
  readonly needed = {};
}

@Module({ imports: [HealthModule.forRoot(NoChecks)], controllers: [SlowController] })
class SlowModule {}

@Controller('things')
class ThingsController {
  @Post()
  make(): { made: true } {
    return { made: true };
  }
}

@Module({ imports: [HealthModule.forRoot(NoChecks)], controllers: [ThingsController] })
class ThingsModule {}

async function startApp(port = 0, module: typeof ThingsModule = ThingsModule): Promise<NestFastifyApplication> {
  const app = await createHttpApp(module, LOCAL_SETTINGS, { name: 'things' });
  await app.listen(port, '127.0.0.1');
  return app;
}

/** Returns the status, 0 without an answer, and whether the connection ends. */
const ask = (method: string, url: string, agent?: Agent): Promise<{ status: number; connection: string | undefined }> =>
  new Promise((resolve) => {
    const asked = request(url, { method, agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection }));
    });
    asked.once('error', () => resolve({ status: 0, connection: undefined }));
    asked.end();
  });

/**
 * A load balancer. It checks the readiness of its targets, and sends to the ready ones in turn over kept connections.
 */
class LoadBalancer {
  static readonly LOOKS_EVERY_MS = 100;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server = createServer((_request, response) => {
    const target = this.ready[this.turn++ % this.ready.length];
    void ask('POST', `${target}/things`, this.agent).then(({ status }) => response.writeHead(status || 502).end());
  });
  private readonly looking = setInterval(() => void this.look(), LoadBalancer.LOOKS_EVERY_MS);
  private ready: string[];
  private turn = 0;
  private readonly looks = new EventEmitter();

  private constructor(private readonly targets: readonly string[]) {
    this.ready = [...targets];
  }

  static async start(targets: readonly string[]): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(targets);
    await once(balancer.server.listen(0, '127.0.0.1'), 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.server)}`;
  }

  async finds(target: string): Promise<void> {
    while (!this.ready.includes(target)) await once(this.looks, 'looked');
  }

  stop(): void {
    clearInterval(this.looking);
    this.agent.destroy();
    this.server.close();
  }

  private async look(): Promise<void> {
    const looks = this.targets.map(async (target) => ({
      target,
      ...(await ask('GET', `${target}/api/v1/health/ready`)),
    }));
    this.ready = (await Promise.all(looks)).filter(({ status }) => status === 200).map(({ target }) => target);
    this.looks.emit('looked');
  }
}

/** Twenty checks of the load balancer, so that it also notices in time on a busy machine. */
const DELAY_SECONDS = 2;

describe('closeInOrder', () => {
  it('is not ready at once, goes on taking requests, and ends each connection with its answer', async () => {
    const app = await startApp();
    const base = `http://127.0.0.1:${portOf(app.getHttpServer())}`;
    const agent = new Agent({ keepAlive: true });
    expect(await ask('POST', `${base}/things`, agent)).toEqual({ status: 201, connection: 'keep-alive' });

    const closed = closeInOrder(app, DELAY_SECONDS);
    expect((await ask('GET', `${base}/api/v1/health/ready`)).status).toBe(503);
    expect(await ask('POST', `${base}/things`, agent)).toEqual({ status: 201, connection: 'close' });
    expect(await ask('POST', `${base}/things`, agent)).toEqual({ status: 201, connection: 'close' });

    await closed;
    expect((await ask('POST', `${base}/things`, agent)).status).toBe(0);
  });

  it('closes the door before its parts stop', async () => {
    const app = await startApp(0, SlowModule);
    const base = `http://127.0.0.1:${portOf(app.getHttpServer())}`;

    const closed = closeInOrder(app, 0);

    expect((await ask('GET', `${base}/api/v1/health/live`)).status).toBe(0);
    app.get(SlowController).mayStop.give();
    await closed;
  });

  it('waits for answers that are due, and not for their connections', async () => {
    const app = await startApp(0, SlowModule);
    const base = `http://127.0.0.1:${portOf(app.getHttpServer())}`;
    const slow = app.get(SlowController);
    const answer = ask('GET', `${base}/slow`, new Agent({ keepAlive: true }));
    await slow.asked.given;

    slow.mayStop.give();
    const closed = closeInOrder(app, 0);
    expect((await ask('GET', `${base}/api/v1/health/live`)).status).toBe(0);
    slow.mayAnswer.give();

    expect((await answer).status).toBe(200);
    await closed;
  });

  it('loses no request of a rolling restart behind a load balancer', async () => {
    const apps = [await startApp(), await startApp()];
    const ports = apps.map((app) => portOf(app.getHttpServer()));
    const targets = ports.map((port) => `http://127.0.0.1:${port}`);
    const balancer = await LoadBalancer.start(targets);
    const statuses: number[] = [];
    let isOver = false;
    const sender = async (): Promise<void> => {
      while (!isOver) statuses.push((await ask('POST', balancer.url)).status);
    };
    const senders = [sender(), sender(), sender()];
    for (const [n, app] of apps.entries()) {
      await closeInOrder(app, DELAY_SECONDS);
      apps[n] = await startApp(ports[n]);
      await balancer.finds(targets[n] as string);
    }
    isOver = true;
    await Promise.all(senders);
    balancer.stop();
    await Promise.all(apps.map((app) => app.close()));

    expect(statuses.length).toBeGreaterThan(20);
    expect(new Set(statuses)).toEqual(new Set([201]));
  });
});

const API: App = { name: 'api', portSetting: 'SVC_API_PORT' };

/** Runs an app until it ends the process. Returns the exit code and what it said; the process goes on. */
async function endOf(start: () => Promise<void>, app = API): Promise<{ exitCode: number; said: string }> {
  let said = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said += String(text))));
  const exitCode = await new Promise<number>((resolve) => {
    jest.spyOn(process, 'exit').mockImplementation(((code: number) => resolve(code)) as typeof process.exit);
    runApp(app, start, []);
  });
  return { exitCode, said };
}

/** Runs a file of `testing` as a process of its own. Returns how it ended, what it said, and the lines of its log. */
async function endOfProcess(file: string): Promise<{ exitCode: number | null; said: string; lines: object[] }> {
  const entry = join(__dirname, 'testing', file);
  const options = { bundle: true, platform: 'node', format: 'cjs', packages: 'external', write: false } as const;
  const [built] = (await build({ ...options, entryPoints: [entry] })).outputFiles;
  const child = spawn(process.execPath, ['-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 45_000,
    killSignal: 'SIGKILL',
  });
  child.stdin.end(built?.text);
  const [log, said, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  return { exitCode: exitCode as number | null, said, lines };
}

describe('closeOnSignal', () => {
  it('loses no signal that arrives in the moment in which the start ends', async () => {
    const { exitCode, lines } = await endOfProcess('stopped-as-it-becomes-ready.ts');

    expect(exitCode).toBe(0);
    expect(lines).toMatchObject([{ msg: 'Starting.' }, { msg: 'Stopping.', signal: 'SIGTERM' }, { msg: 'Stopped.' }]);
  }, 60_000);
});

describe('runApp', () => {
  const exitCode = process.exitCode;
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = exitCode;
  });

  it('says in one sentence that its port is taken, and by which setting to choose another', async () => {
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const port = portOf(stranger);

    const end = await endOf(() => answerProbesWhile(port, '127.0.0.1', () => Promise.resolve()));
    stranger.close();

    expect(end.exitCode).toBe(1);
    expect(end.said).toBe(
      `The api cannot listen on port ${port}, because another program uses it: stop that program, or choose another port with SVC_API_PORT.\n`,
    );
  });

  it('says so too when the port was taken during its start', async () => {
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const port = portOf(stranger);
    const app = await createHttpApp(ThingsModule, LOCAL_SETTINGS, { name: 'api' });

    const end = await endOf(() => listen(app, port, '127.0.0.1'));
    stranger.close();
    await app.close();

    expect(end.said).toMatch(/^The api cannot listen on port \d+, because .* SVC_API_PORT\.\n$/);
  });

  it('says in one sentence what was away, when its start could not go on', async () => {
    const late = new Error('timeout expired');
    const nameError = (error: unknown) =>
      error === late
        ? new ServiceUnavailableError('The database is away; try again later.', 5, { cause: error })
        : error;

    const end = await endOf(() => Promise.reject(late), { ...API, nameError });

    expect(end).toEqual({
      exitCode: 1,
      said: 'The api cannot go on. The database is away; try again later. The reason: timeout expired\n',
    });
  });

  it.each([
    ['EACCES', 'needs more rights than this account has: choose one above 1023 with SVC_API_PORT'],
    ['EADDRNOTAVAIL', 'of 10.9.8.7 (EADDRNOTAVAIL): correct SVC_HOST or SVC_API_PORT'],
  ])('says what to do when it cannot listen because of %s', async (code, hint) => {
    const refused = Object.assign(new Error(code), { code, syscall: 'listen', address: '10.9.8.7', port: 80 });

    const end = await endOf(() => Promise.reject(refused));

    expect(end).toEqual({ exitCode: 1, said: expect.stringContaining(hint) as string });
    expect(end.said.split('\n')).toHaveLength(2);
  });

  it('shows the stack of an error that nobody foresaw', async () => {
    const end = await endOf(() => Promise.reject(new Error('broken')));

    expect(end).toEqual({ exitCode: 1, said: expect.stringMatching(/broken\n +at /) as string });
  });

  it('ends at a rejection that is handled nowhere, with a line in its log that has the stack', async () => {
    const { exitCode, said, lines } = await endOfProcess('stray-rejection.ts');

    expect(exitCode).toBe(1);
    expect(said).toMatch(/^Error: The cache is gone, with token=\*\*\*\n +at /);
    expect(lines.at(-1)).toMatchObject({
      level: 60,
      msg: 'The process ends, because an error was handled nowhere.',
      stack: expect.stringMatching(/Caused by: Error: The cache is gone, with token=\*\*\*\n +at /) as string,
    });
  }, 60_000);

  it('performs the command that the first argument names, with the others', () => {
    const asked: unknown[] = [];
    const commands = { migrate: (args: readonly string[]) => void asked.push(args) };

    runApp({ ...API, commands }, () => Promise.reject(new Error('started')), ['migrate', '--revert']);

    expect(asked).toEqual([['--revert']]);
  });

  it.each<[string, App, string]>([
    [
      'that has commands',
      { ...API, commands: { migrate: () => undefined, backup: () => undefined } },
      'There is no command toString: without one the api is started, and there are migrate, backup.\n',
    ],
    [
      'without commands',
      { name: 'worker', portSetting: 'SVC_WORKER_PORT' },
      'There is no command toString: the worker takes none.\n',
    ],
  ])('refuses an unknown argument of an app %s, in one sentence', (_, app, sentence) => {
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);

    runApp(app, () => Promise.reject(new Error('started')), ['toString']);

    expect(said.mock.calls).toEqual([[sentence]]);
    expect(process.exitCode).toBe(64);
  });
});
