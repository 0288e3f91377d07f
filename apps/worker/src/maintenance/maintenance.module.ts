import { Module, type DynamicModule } from '@nestjs/common';
import { Clock, UnfinishedRuns, JobQueue, RunJournal, SystemClock } from '@millrace/domain';
import { Leadership, QueueCleaner } from '@millrace/persistence';
import { Pool } from 'pg';
import type { WorkerConfig } from '../config';
import { Duties } from './duties';
import { IdempotencyPruning } from './idempotency-pruning';
import { OverdueRuns } from './overdue-runs';
import { QueueCleaning } from './queue-cleaning';
import { RunRescuer } from './run-rescuer';
import { SegmentPartitions } from './segment-partitions';

/** The periodic duties of the installation. Every worker can do them; the one that leads does. */
@Module({})
export class MaintenanceModule {
  static forRoot(config: WorkerConfig): DynamicModule {
    return {
      module: MaintenanceModule,
      providers: [
        { provide: Clock, useClass: SystemClock },
        { provide: Leadership, useFactory: () => new Leadership(config.SVC_DATABASE_URL) },
        {
          provide: Duties,
          inject: [Leadership, UnfinishedRuns, RunJournal, JobQueue, QueueCleaner, Clock, Pool],
          useFactory: (
            leadership: Leadership,
            runs: UnfinishedRuns,
            journal: RunJournal,
            queue: JobQueue,
            cleaner: QueueCleaner,
            clock: Clock,
            pool: Pool,
          ) =>
            new Duties(leadership, [
              new RunRescuer(runs, queue, clock),
              new OverdueRuns(runs, journal, clock, config.SVC_FLOW_TIMEOUT_SECONDS),
              new QueueCleaning(cleaner),
              new SegmentPartitions(pool, clock),
              new IdempotencyPruning(pool, clock),
            ]),
        },
      ],
    };
  }
}
