import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { executeFlowJob, JOB_PRIORITY, JobQueue, RUN_QUEUE, type RunJob } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { Test, type TestingModule } from '@nestjs/testing';
import { Queue, Worker, type Job } from 'bullmq';
import { BullMqJobQueue } from '../queue/bullmq-job-queue';
import type { RunJobData, RunQueue } from '../queue/run-queue';
import { QueueCleaner } from '../queue/queue-cleaner';
import { queueOptions, queueWorkerOptions, useQueueStore } from '../queue/queue-connection';
import type { QueueSettings } from '../queue/queue-settings';
import { logQueueErrors } from '../queue/queue-errors';
import { SilentProxy } from '../testing/silent-proxy';
import { QueueModule } from './queue.module';

const databaseUrl = process.env['MILLRACE_TEST_DATABASE_URL'] ?? '';
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'];
const retention = { failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100_000 };

/** Every job has an id of its own, because all tests on one store share the queue: the domain fixes its name. */
const aJob = (): RunJob => {
  const run = { id: randomUUID(), flowVersionId: 'version-1', projectId: 'project-1' };
  return { jobId: run.id, priority: JOB_PRIORITY.webhook, runs: [executeFlowJob(run)] };
};

async function startWith(settings: QueueSettings): Promise<{ module: TestingModule; received: Promise<RunJobData> }> {
  let receive: (data: RunJobData) => void;
  const received = new Promise<RunJobData>((resolve) => (receive = resolve));

  @Processor(RUN_QUEUE, queueWorkerOptions(settings, { concurrency: 2 }))
  class RunProcessor extends WorkerHost {
    async process(job: Job<RunJobData>): Promise<void> {
      receive(job.data);
    }
  }
  const module = await Test.createTestingModule({
    imports: [QueueModule.forRoot(settings)],
    providers: [RunProcessor],
  }).compile();
  await module.init();
  return { module, received };
}

function describeModule(name: string, settings: QueueSettings): void {
  describe(`QueueModule: ${name}`, () => {
    it('brings a job from the port to a processor of the queue, and closes without leaving anything open', async () => {
      const { module, received } = await startWith(settings);
      const job = aJob();

      await module.get(JobQueue).enqueue([job]);

      expect(await received).toEqual({ runs: job.runs });
      await module.close();
    });

    it('starts twice on the same store', async () => {
      await (await startWith(settings)).module.close();

      const { module } = await startWith(settings);

      expect(await module.get(JobQueue).liveness(['unknown'])).toEqual(['gone']);
      await module.close();
    });
  });

  describe(`QueueCleaner: ${name}`, () => {
    it('removes failed jobs above the kept number, oldest first', async () => {
      useQueueStore(settings);
      const queue: RunQueue = new Queue(`cleaner-${randomUUID()}`, queueOptions(settings));
      const worker = new Worker(
        queue.name,
        () => Promise.reject(new Error('broken')),
        queueWorkerOptions(settings, { concurrency: 1 }),
      );
      const failed = new Promise<void>((resolve) => worker.on('failed', (job) => job?.name === 'last' && resolve()));
      for (const name of ['first', 'second', 'third', 'last']) {
        await queue.add(name as 'ExecuteFlowJob', { runs: [] }, { jobId: name, attempts: 1 });
      }
      await failed;

      const removed = await new QueueCleaner(queue, {
        failedJobRetentionDays: 7,
        failedJobRetentionMaxCount: 2,
      }).clean();

      expect(removed).toBe(2);
      expect((await queue.getFailed()).map((job) => job.id).sort()).toEqual(['last', 'third']);
      await worker.close();
      await queue.obliterate({ force: true });
      await queue.close();
    });
  });
}

describeModule('on PostgreSQL', { databaseUrl, ...retention });

if (redisUrl) describeModule('on Redis', { databaseUrl, redisUrl, ...retention });
else
  describe.skip('QueueModule: on Redis (left out: MILLRACE_TEST_REDIS_URL is not set)', () =>
    it.todo('runs with a Redis'));

/**
 * A proxy to Redis that tests can stop and start. Without a Redis behind it, it accepts connections and never answers.
 */
class RedisProxy {
  private readonly sockets = new Set<Socket>();
  private server = createServer();
  private port = 0;

  constructor(private readonly behind?: URL) {}

  async open(): Promise<string> {
    this.server = createServer((socket) => this.connect(socket));
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return `redis://127.0.0.1:${this.port}`;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private connect(socket: Socket): void {
    this.keep(socket);
    if (!this.behind) return;
    const redis = this.keep(connect(Number(this.behind.port), this.behind.hostname));
    socket.pipe(redis).pipe(socket);
    socket.on('close', () => redis.destroy());
    redis.on('close', () => socket.destroy());
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    // The test cuts connections on purpose. The queue sees their end.
    socket.on('error', () => socket.destroy());
    return socket;
  }
}

/** Falls silent at the first command that contains a word. */
class FreezingProxy extends SilentProxy {
  constructor(
    behind: URL,
    private readonly word: string,
  ) {
    super(behind);
  }

  protected override pass(near: Socket, far: Socket): void {
    near.on('data', (chunk: Buffer) => chunk.includes(this.word) && this.fallSilent());
    super.pass(near, far);
  }
}

/** The start waits 2 s for Redis. A command that is not answered would be given up after 15 s and sent again. */
const STARTED_WITHIN_MS = 12_000;

describe('BullMqJobQueue without its store', () => {
  it('rejects within its deadline when Redis hangs', async () => {
    const proxy = new RedisProxy();
    const settings = { databaseUrl, redisUrl: await proxy.open(), ...retention };
    useQueueStore(settings);
    const bullQueue: RunQueue = new Queue('away', queueOptions(settings));
    logQueueErrors(bullQueue);
    const queue = new BullMqJobQueue(bullQueue, 100);

    await expect(queue.enqueue([aJob()])).rejects.toThrow('did not answer within 100 ms');
    await expect(queue.replace([aJob()])).rejects.toThrow('did not answer within 100 ms');
    await expect(queue.liveness(['any'])).rejects.toThrow('did not answer within 100 ms');

    await bullQueue.close();
    await proxy.cut();
  });

  const itWithRedis = redisUrl ? it : it.skip;

  itWithRedis('starts while Redis is away, and takes jobs by itself when Redis comes', async () => {
    const proxy = new RedisProxy(new URL(redisUrl ?? ''));
    const settings = { databaseUrl, redisUrl: await proxy.open(), ...retention };
    await proxy.cut();

    const { module, received } = await startWith(settings);

    await expect(module.get(JobQueue).enqueue([aJob()])).rejects.toThrow();
    await proxy.open();
    await untilAccepted(() => module.get(JobQueue).enqueue([aJob()]));
    expect(await received).toEqual({ runs: [expect.objectContaining({ projectId: 'project-1' })] });
    await module.close();
    await proxy.cut();
  });

  it('starts, and closes, with a Redis that never answers', async () => {
    const proxy = new RedisProxy();

    const { module } = await startWith({ databaseUrl, redisUrl: await proxy.open(), ...retention });

    await expect(module.close()).resolves.toBeUndefined();
    await proxy.cut();
  });

  itWithRedis('starts, and closes, with a Redis that answers first and then no more', async () => {
    const proxy = new FreezingProxy(new URL(redisUrl ?? ''), 'persistence');
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const settings = { databaseUrl, redisUrl: await proxy.open(), ...retention };

    const from = performance.now();
    const { module } = await startWith(settings);
    const tookMs = performance.now() - from;

    expect(warn).toHaveBeenCalledWith(expect.stringContaining('Starting without it'));
    expect(tookMs).toBeLessThan(STARTED_WITHIN_MS);
    await module.close();
    await proxy.close();
    warn.mockRestore();
  });

  itWithRedis('refuses while Redis is away, and takes jobs by itself when Redis is back', async () => {
    const proxy = new RedisProxy(new URL(redisUrl ?? ''));
    const { module, received } = await startWith({ databaseUrl, redisUrl: await proxy.open(), ...retention });
    const seen = new Promise<void>((resolve) =>
      module.get<RunQueue>(getQueueToken(RUN_QUEUE)).on('ioredis:close', resolve),
    );
    const queue = module.get(JobQueue);

    await proxy.cut();
    await seen;
    await expect(queue.enqueue([aJob()])).rejects.toThrow();
    await proxy.open();
    const job = aJob();
    await untilAccepted(() => queue.enqueue([job]));

    expect(await received).toEqual({ runs: job.runs });
    await module.close();
    await proxy.cut();
  });

  itWithRedis('closes while Redis is away', async () => {
    const proxy = new RedisProxy(new URL(redisUrl ?? ''));
    const { module } = await startWith({ databaseUrl, redisUrl: await proxy.open(), ...retention });
    await proxy.cut();

    await expect(module.close()).resolves.toBeUndefined();
  });
});

async function untilAccepted(enqueue: () => Promise<void>): Promise<void> {
  for (;;) {
    const accepted = await enqueue().then(
      () => true,
      () => false,
    );
    if (accepted) return;
    await new Promise(setImmediate);
  }
}
