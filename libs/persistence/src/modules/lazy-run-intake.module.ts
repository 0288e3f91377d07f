import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { BacklogWatch, IntakeGate, JobQueue, RunIntake } from '@millrace/domain';
import { Pool } from 'pg';
import { LazyJobQueue } from '../queue/lazy-job-queue';
import type { QueueSettings } from '../queue/queue-connection';
import { PostgresRunIntake } from '../runs/postgres-run-intake';

/** The first run waits while BullMQ is loaded and connects; after that the queue's own deadline is shorter. */
export const LAZY_QUEUE_DEADLINE_MS = 5_000;

/**
 * For an app that accepts a run, or makes one go on, now and then: the queue, and BullMQ with it, is loaded with the
 * first. Needs PostgresModule, and not QueueModule.
 */
@Module({})
export class LazyRunIntakeModule implements OnApplicationShutdown {
  constructor(private readonly queue: LazyJobQueue) {}

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
          inject: [Pool, LazyJobQueue, BacklogWatch, { token: IntakeGate, optional: true }],
          useFactory: (pool: Pool, queue: LazyJobQueue, backlog: BacklogWatch, gate?: IntakeGate) =>
            new PostgresRunIntake(pool, queue, { deadlineMs: LAZY_QUEUE_DEADLINE_MS, backlog, gate }),
        },
        { provide: JobQueue, useExisting: LazyJobQueue },
      ],
      exports: [RunIntake, JobQueue],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}
