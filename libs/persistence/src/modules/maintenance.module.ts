import { Module, type DynamicModule } from '@nestjs/common';
import {
  Backlog,
  BacklogCount,
  ChildrenEnded,
  Clock,
  FileLeftovers,
  FileRetention,
  FileStore,
  JobQueue,
  OverdueRuns,
  RunFamilies,
  RunJournal,
  RunEvents,
  RunRescuer,
  RunWaits,
  SystemClock,
  UnfinishedRuns,
  WaitsDue,
  type Duty,
  type Retention,
} from '@millrace/domain';
import { Pool } from 'pg';
import { newId } from '../postgres/new-id';
import { QueueCleaner } from '../queue/queue-cleaner';
import { CodeBundlePruning } from '../maintenance/code-bundle-pruning';
import { Duties } from '../maintenance/duties';
import { IdempotencyPruning } from '../maintenance/idempotency-pruning';
import { LeaderLease } from '../maintenance/leader-lease';
import { PartitionsAhead } from '../maintenance/partitions-ahead';
import { QueueCleaning } from '../maintenance/queue-cleaning';
import { RunDataRetention } from '../maintenance/run-data-retention';
import { RunRetention } from '../maintenance/run-retention';

/** The duties that resume, end or re-enqueue runs and count the backlog. */
const RUN_DUTIES = Symbol('RunDuties');
/** The duties that remove old data and make partitions ahead. */
const STORE_DUTIES = Symbol('StoreDuties');

export interface MaintenanceSettings {
  databaseUrl: string;
  /** A stand-in performs the duties only while no worker lives. */
  standsIn: boolean;
  flowTimeoutSeconds: number;
  retention: Retention;
  /** How many days after their end the rows of runs are deleted; 0 keeps them forever. */
  runRetentionDays: number;
}

/**
 * The periodic duties of the installation. The process that holds the leader lease performs them. The module needs
 * PostgresModule, FileStoreModule, RunExecutionModule and a JobQueue, which are global. Only an app with QueueModule
 * removes finished jobs.
 */
@Module({})
export class MaintenanceModule {
  static forRoot(settings: MaintenanceSettings): DynamicModule {
    const { databaseUrl, standsIn, flowTimeoutSeconds, retention, runRetentionDays } = settings;
    return {
      module: MaintenanceModule,
      providers: [
        { provide: Clock, useClass: SystemClock },
        { provide: LeaderLease, useFactory: () => new LeaderLease({ databaseUrl, standsIn }) },
        {
          provide: OverdueRuns,
          inject: [UnfinishedRuns, RunJournal, RunEvents, Clock],
          useFactory: (runs: UnfinishedRuns, journal: RunJournal, events: RunEvents, clock: Clock) =>
            new OverdueRuns(runs, journal, events, clock, flowTimeoutSeconds),
        },
        {
          provide: RUN_DUTIES,
          inject: [OverdueRuns, RunWaits, RunFamilies, UnfinishedRuns, JobQueue, Backlog, Clock],
          useFactory: (
            overdue: OverdueRuns,
            waits: RunWaits,
            families: RunFamilies,
            runs: UnfinishedRuns,
            queue: JobQueue,
            backlog: Backlog,
            clock: Clock,
          ): Duty[] => [
            new WaitsDue(waits, clock),
            new ChildrenEnded(families, clock),
            overdue,
            new RunRescuer(runs, queue, clock, newId),
            new BacklogCount(backlog, clock),
          ],
        },
        {
          provide: STORE_DUTIES,
          inject: [Pool, FileStore, Clock, { token: QueueCleaner, optional: true }],
          useFactory: (pool: Pool, files: FileStore, clock: Clock, cleaner?: QueueCleaner): Duty[] => [
            ...(cleaner ? [new QueueCleaning(cleaner)] : []),
            new FileLeftovers(files, clock),
            new PartitionsAhead(pool, clock),
            new IdempotencyPruning(pool, clock),
            new CodeBundlePruning(pool, clock),
            new RunDataRetention(pool, clock, retention),
            new FileRetention(files, clock, retention),
            new RunRetention(pool, files, clock, runRetentionDays),
          ],
        },
        {
          provide: Duties,
          inject: [LeaderLease, RUN_DUTIES, STORE_DUTIES],
          useFactory: (lease: LeaderLease, ofRuns: Duty[], ofStores: Duty[]) =>
            new Duties(lease, [...ofRuns, ...ofStores]),
        },
      ],
    };
  }
}
