import { JobQueue, Metrics, RUN_QUEUE } from '@millrace/domain';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Inject, Logger, Module, Optional, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { PostgresQueueBackend, RedisQueueBackend } from 'bullmq';
import { BullMqJobQueue } from '../queue/bullmq-job-queue';
import { BULLMQ_QUEUE, type RunQueue } from '../queue/run-queue';
import { JobTable } from '../queue/job-table';
import { ListenedQueue } from '../queue/listened-queue';
import { writeNoEvents } from '../queue/lean-queue.statements';
import { reportPool } from '../postgres/report-pool';
import { untilPostgresAnswers } from '../postgres/until-postgres-answers';
import { QueueCleaner } from '../queue/queue-cleaner';
import { queueAnswers } from '../queue/queue-answers';
import { QueueProbe } from '../queue/queue-probe';
import { queueOptions, useQueueStore } from '../queue/queue-connection';
import { QueueSettings } from '../queue/queue-settings';
import { warnAboutRedisDurability, type RedisInfo } from '../queue/redis-durability';
import { redisFailure } from '../queue/redis-failure';
import { RunWorker } from '../queue/run-worker';
import { ensureStalledJobIndex } from '../queue/stalled-job-index';
import { QueueDeadlineError, withinDeadline } from '../queue/within-deadline';

/** How long an app's start waits for Redis. */
const REDIS_PATIENCE_MS = 2_000;

/**
 * The job queue of one process. The module exports JobQueue, JobTable, QueueCleaner, QueueProbe and the BullMQ queue itself. A
 * worker adds `@Processor(RUN_QUEUE, queueWorkerOptions(settings, …))` on a `WorkerHost`. It is global: an app imports
 * it once.
 */
@Module({})
export class QueueModule implements OnModuleInit {
  private readonly logger = new Logger('Queue');

  constructor(
    @Inject(BULLMQ_QUEUE) private readonly queue: RunQueue,
    @Optional() private readonly metrics?: Metrics,
  ) {}

  static forRoot(settings: QueueSettings): DynamicModule {
    BullModule.queueClass = ListenedQueue;
    BullModule.workerClass = RunWorker;
    useQueueStore(settings);
    return {
      module: QueueModule,
      global: true,
      imports: [BullModule.forRoot(queueOptions(settings)), BullModule.registerQueue({ name: RUN_QUEUE })],
      providers: [
        { provide: QueueSettings, useValue: settings },
        { provide: BULLMQ_QUEUE, useExisting: getQueueToken(RUN_QUEUE) },
        { provide: JobQueue, useClass: BullMqJobQueue },
        settings.redisUrl ? { provide: JobTable, useValue: null } : { provide: JobTable, useExisting: JobQueue },
        QueueCleaner,
        {
          provide: QueueProbe,
          inject: [BULLMQ_QUEUE],
          useFactory: (queue: RunQueue): QueueProbe => ({ answers: () => queueAnswers(queue) }),
        },
      ],
      exports: [JobQueue, JobTable, QueueCleaner, QueueProbe, BullModule],
    };
  }

  async onModuleInit(): Promise<void> {
    const backend: unknown = this.queue.getBackend();
    if (backend instanceof RedisQueueBackend) return this.startWithRedis(backend);
    if (backend instanceof PostgresQueueBackend) await this.startWithPostgres(backend);
  }

  private async startWithPostgres(backend: PostgresQueueBackend): Promise<void> {
    await untilPostgresAnswers('to prepare the queue', async () => {
      await this.queue.waitUntilReady();
      await ensureStalledJobIndex(backend);
      await writeNoEvents(backend.connection.pool);
    });
    if (this.metrics) reportPool(this.metrics, 'queue', () => backend.connection.pool as unknown as Pool);
  }

  /** An app starts even if Redis does not answer, or no longer does: the queue connects by itself later. */
  private async startWithRedis(backend: RedisQueueBackend): Promise<void> {
    const checked = this.checkRedis(backend);
    try {
      await withinDeadline(REDIS_PATIENCE_MS, Promise.all([this.queue.waitUntilReady(), checked]));
    } catch (error) {
      if (!(error instanceof QueueDeadlineError)) throw error;
      this.logger.warn(
        'Redis cannot be used (SVC_REDIS_URL). Starting without it: runs wait in the database until it can.',
      );
      void checked.then(() => undefined); // nobody handles its rejection from now on, so that it ends the process
    }
  }

  /** Rejects, and so ends the process, when Redis answers but cannot be used: the queue would never take a job. */
  private async checkRedis(backend: RedisQueueBackend): Promise<void> {
    let redis: RedisInfo;
    try {
      redis = await backend.client;
    } catch (error) {
      if (this.queue.closing) return;
      throw error;
    }
    await warnAboutRedisDurability(redis, (message) => this.logger.warn(message)).catch((error: Error) =>
      this.logger.warn(
        `Could not check whether Redis keeps its data through a crash: ${redisFailure(error) ?? error.message}`,
      ),
    );
  }
}
