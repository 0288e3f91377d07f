import { BacklogWatch, JobQueue, RUN_QUEUE } from '@millrace/domain';
import { BullModule, getQueueToken, InjectQueue } from '@nestjs/bullmq';
import { Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { PostgresQueueBackend, RedisQueueBackend } from 'bullmq';
import { BullMqJobQueue, type RunQueue } from './bullmq-job-queue';
import { JobTable } from './job-table';
import { ListenedQueue } from './listened-queue';
import { writeNoEvents } from './lean-queue.statements';
import { QueueCleaner } from './queue-cleaner';
import { queueOptions, useQueueStore, type QueueSettings } from './queue-connection';
import { warnAboutRedisDurability } from './redis-durability';
import { RunWorker } from './run-worker';
import { ensureStalledJobIndex } from './stalled-job-index';

/**
 * The job queue of one process. Exports `JobQueue`, `QueueCleaner` and the BullMQ queue itself;
 * a worker adds `@Processor(RUN_QUEUE, queueWorkerOptions(settings, …))` on a `WorkerHost`.
 */
@Module({})
export class QueueModule implements OnModuleInit {
  private readonly logger = new Logger('Queue');

  constructor(@InjectQueue(RUN_QUEUE) private readonly queue: RunQueue) {}

  static forRoot(settings: QueueSettings): DynamicModule {
    BullModule.queueClass = ListenedQueue;
    BullModule.workerClass = RunWorker;
    return {
      module: QueueModule,
      global: true,
      imports: [
        BullModule.forRootAsync({
          useFactory: () => {
            useQueueStore(settings);
            return queueOptions(settings);
          },
        }),
        BullModule.registerQueue({ name: RUN_QUEUE }),
      ],
      providers: [
        {
          provide: JobQueue,
          useFactory: (queue: RunQueue, backlog?: BacklogWatch) => new BullMqJobQueue(queue, undefined, backlog),
          inject: [getQueueToken(RUN_QUEUE), { token: BacklogWatch, optional: true }],
        },
        {
          provide: JobTable,
          useFactory: (jobs: BullMqJobQueue) => (settings.redisUrl ? null : jobs),
          inject: [JobQueue],
        },
        {
          provide: QueueCleaner,
          useFactory: (queue: RunQueue) => new QueueCleaner(queue, settings),
          inject: [getQueueToken(RUN_QUEUE)],
        },
      ],
      exports: [JobQueue, JobTable, QueueCleaner, BullModule],
    };
  }

  async onModuleInit(): Promise<void> {
    await this.queue.waitUntilReady();
    const backend: unknown = this.queue.getBackend();
    if (backend instanceof PostgresQueueBackend) {
      await ensureStalledJobIndex(backend);
      await writeNoEvents(backend.connection.pool);
    }
    if (backend instanceof RedisQueueBackend) {
      await warnAboutRedisDurability(await backend.client, (message) => this.logger.warn(message));
    }
  }
}
