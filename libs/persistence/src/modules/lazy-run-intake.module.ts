import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import {
  BacklogWatch,
  FailedJobs,
  IntakeGate,
  JobQueue,
  LiveUpdates,
  QueueAdministration,
  RunIntake,
} from '@millrace/domain';
import { Pool } from 'pg';
import { openAllQueues, SharedQueues } from '../queue/all-queues';
import { BullMqFailedJobs } from '../queue/bullmq-failed-jobs';
import { LazyJobQueue } from '../queue/lazy-job-queue';
import { QueueProbe } from '../queue/queue-probe';
import type { QueueSettings } from '../queue/queue-settings';
import { PostgresRunIntake } from '../runs/postgres-run-intake';

/**
 * How long the first run waits until BullMQ is loaded and connected. Later the queue's own, shorter deadline applies.
 */
export const LAZY_QUEUE_DEADLINE_MS = 5_000;

/**
 * Provides RunIntake and JobQueue for an app that only now and then accepts or resumes a run. The first run loads the
 * queue and BullMQ with it. It needs PostgresModule and replaces QueueModule. It is global: an app imports it once.
 */
@Module({})
export class LazyRunIntakeModule implements OnApplicationShutdown {
  constructor(
    private readonly queue: LazyJobQueue,
    private readonly shown: SharedQueues,
  ) {}

  static forRoot(settings: QueueSettings): DynamicModule {
    return {
      module: LazyRunIntakeModule,
      global: true,
      providers: [
        {
          provide: LazyJobQueue,
          inject: [BacklogWatch],
          useFactory: (backlog: BacklogWatch) =>
            new LazyJobQueue(async () =>
              (await import('../queue/open-job-queue')).openJobQueue(settings, undefined, backlog),
            ),
        },
        {
          provide: RunIntake,
          inject: [Pool, LazyJobQueue, BacklogWatch, LiveUpdates, { token: IntakeGate, optional: true }],
          useFactory: (pool: Pool, queue: LazyJobQueue, backlog: BacklogWatch, live: LiveUpdates, gate?: IntakeGate) =>
            new PostgresRunIntake(pool, queue, { deadlineMs: LAZY_QUEUE_DEADLINE_MS, backlog, live, gate }),
        },
        { provide: JobQueue, useExisting: LazyJobQueue },
        { provide: QueueAdministration, useExisting: LazyJobQueue },
        settings.redisUrl
          ? { provide: QueueProbe, useExisting: LazyJobQueue }
          : { provide: QueueProbe, inject: [Pool], useFactory: queueInDatabase },
        { provide: SharedQueues, useFactory: () => new SharedQueues(() => openAllQueues(settings)) },
        {
          provide: FailedJobs,
          inject: [SharedQueues],
          useFactory: (queues: SharedQueues) => new BullMqFailedJobs(queues),
        },
      ],
      exports: [RunIntake, JobQueue, LazyJobQueue, QueueAdministration, QueueProbe, FailedJobs],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.queue.close(), this.shown.close()]);
  }
}

/** A queue in PostgreSQL answers when the database does. It need not be loaded for that. */
const queueInDatabase = (pool: Pool): QueueProbe => ({
  answers: async () => (await pool.query('select 1')).rowCount === 1,
});
