import { Module, type DynamicModule } from '@nestjs/common';
import {
  Clock,
  FileStore,
  JobQueue,
  RunFamilies,
  RunJournal,
  RunNotices,
  RunWaits,
  SystemClock,
  UnfinishedRuns,
} from '@millrace/domain';
import { Leadership, QueueCleaner } from '@millrace/persistence';
import { Pool } from 'pg';
import type { WorkerConfig } from '../config';
import { RunNews } from '../running/run-news';
import { ChildrenEnded } from './children-ended';
import { Duties, type Duty } from './duties';
import { FileLeftovers } from './file-leftovers';
import { FileRetention } from './file-retention';
import { IdempotencyPruning } from './idempotency-pruning';
import { OverdueRuns } from './overdue-runs';
import { QueueCleaning } from './queue-cleaning';
import { RunDataRetention } from './run-data-retention';
import { RunRescuer } from './run-rescuer';
import { SegmentPartitions } from './segment-partitions';
import { WaitsDue } from './waits-due';

/** The duties that move runs on. */
const RUN_DUTIES = Symbol('RunDuties');
/** The duties that remove what is old and prepare what is to come. */
const STORE_DUTIES = Symbol('StoreDuties');

/** The periodic duties of the installation. Every worker can do them; the one that leads does. */
@Module({})
export class MaintenanceModule {
  static forRoot(config: WorkerConfig): DynamicModule {
    const retention = {
      days: config.SVC_EXECUTION_DATA_RETENTION_DAYS,
      hours: config.SVC_EXECUTION_DATA_RETENTION_HOURS,
    };
    return {
      module: MaintenanceModule,
      providers: [
        { provide: Clock, useClass: SystemClock },
        { provide: Leadership, useFactory: () => new Leadership(config.SVC_DATABASE_URL) },
        {
          provide: RunNews,
          inject: [RunFamilies, RunNotices],
          useFactory: (families: RunFamilies, notices: RunNotices) => new RunNews(families, notices),
        },
        {
          provide: OverdueRuns,
          inject: [UnfinishedRuns, RunJournal, RunNews, Clock],
          useFactory: (runs: UnfinishedRuns, journal: RunJournal, news: RunNews, clock: Clock) =>
            new OverdueRuns(runs, journal, news, clock, config.SVC_FLOW_TIMEOUT_SECONDS),
        },
        {
          provide: RUN_DUTIES,
          inject: [OverdueRuns, RunWaits, RunFamilies, UnfinishedRuns, JobQueue, Clock],
          useFactory: (
            overdue: OverdueRuns,
            waits: RunWaits,
            families: RunFamilies,
            runs: UnfinishedRuns,
            queue: JobQueue,
            clock: Clock,
          ): Duty[] => [
            new WaitsDue(waits, clock),
            new ChildrenEnded(families, clock),
            overdue,
            new RunRescuer(runs, queue, clock),
          ],
        },
        {
          provide: STORE_DUTIES,
          inject: [Pool, FileStore, QueueCleaner, Clock],
          useFactory: (pool: Pool, files: FileStore, cleaner: QueueCleaner, clock: Clock): Duty[] => [
            new FileLeftovers(files, clock),
            new QueueCleaning(cleaner),
            new SegmentPartitions(pool, clock),
            new IdempotencyPruning(pool, clock),
            new RunDataRetention(pool, clock, retention),
            new FileRetention(files, clock, retention),
          ],
        },
        {
          provide: Duties,
          inject: [Leadership, RUN_DUTIES, STORE_DUTIES],
          useFactory: (leadership: Leadership, ofRuns: Duty[], ofStores: Duty[]) =>
            new Duties(leadership, [...ofRuns, ...ofStores]),
        },
      ],
    };
  }
}
