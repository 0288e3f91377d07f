import { Controller, Get, Module, Post, type BeforeApplicationShutdown } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EventEmitter, once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { HealthModule } from './health/health.module';
import { ReadinessChecks } from './health/readiness';
import { createHttpApp } from './http-app';
import { closeInOrder } from './run-app';
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
