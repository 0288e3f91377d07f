import { Module, type DynamicModule } from '@nestjs/common';
import {
  ChildrenEnded,
  Clock,
  FileLeftovers,
  FileRetention,
  FileStore,
  JobQueue,
  OverdueRuns,
  RunFamilies,
  RunJournal,
  RunNews,
  RunRescuer,
  RunWaits,
  SystemClock,
  UnfinishedRuns,
  WaitsDue,
  type Duty,
  type Retention,
} from '@millrace/domain';
import { Pool } from 'pg';
import { Leadership } from '../postgres/leadership';
import { newId } from '../postgres/new-id';
import { QueueCleaner } from '../queue/queue-cleaner';
import { Duties } from './duties';
import { IdempotencyPruning } from './idempotency-pruning';
import { PartitionsAhead } from './partitions-ahead';
import { QueueCleaning } from './queue-cleaning';
import { RunDataRetention } from './run-data-retention';
import { RunRetention } from './run-retention';

/** The duties that move runs on. */
const RUN_DUTIES = Symbol('RunDuties');
/** The duties that remove what is old and prepare what is to come. */
const STORE_DUTIES = Symbol('StoreDuties');

export interface MaintenanceSettings {
  databaseUrl: string;
  flowTimeoutSeconds: number;
  retention: Retention;
  /** After so many days the rows of ended runs go; 0: never. */
  runRetentionDays: number;
}

/**
 * The periodic duties of the installation. Every process that imports this can do them; the one that leads does. Needs
 * PostgresModule, FileStoreModule, RunExecutionModule and the queue's module, which are global.
 */
@Module({})
export class MaintenanceModule {
  static forRoot({ databaseUrl, flowTimeoutSeconds, retention, runRetentionDays }: MaintenanceSettings): DynamicModule {
    return {
      module: MaintenanceModule,
      providers: [
        { provide: Clock, useClass: SystemClock },
        { provide: Leadership, useFactory: () => new Leadership(databaseUrl) },
        {
          provide: OverdueRuns,
          inject: [UnfinishedRuns, RunJournal, RunNews, Clock],
          useFactory: (runs: UnfinishedRuns, journal: RunJournal, news: RunNews, clock: Clock) =>
            new OverdueRuns(runs, journal, news, clock, flowTimeoutSeconds),
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
            new RunRescuer(runs, queue, clock, newId),
          ],
        },
        {
          provide: STORE_DUTIES,
          inject: [Pool, FileStore, QueueCleaner, Clock],
          useFactory: (pool: Pool, files: FileStore, cleaner: QueueCleaner, clock: Clock): Duty[] => [
            new FileLeftovers(files, clock),
            new QueueCleaning(cleaner),
            new PartitionsAhead(pool, clock),
            new IdempotencyPruning(pool, clock),
            new RunDataRetention(pool, clock, retention),
            new FileRetention(files, clock, retention),
            new RunRetention(pool, files, clock, runRetentionDays),
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
