import { FileLeftovers, FileRetention, FileStore, type Duty } from '@millrace/domain';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { PostgresClock } from '../postgres/postgres-clock';
import { BACKGROUND_POOL } from '../postgres/pool-share';
import { LazyMaintenanceQueue } from '../queue/lazy-maintenance-queue';
import { QueueCleaner } from '../queue/queue-cleaner';
import { AuditRetention } from './audit-retention';
import { CodeBundlePruning } from './code-bundle-pruning';
import { IdempotencyPruning } from './idempotency-pruning';
import { MaintenanceSettings } from './maintenance-settings';
import { PartitionsAhead } from './partitions-ahead';
import { QueueCleaning } from './queue-cleaning';
import { RunDataRetention } from './run-data-retention';
import { RunRetention } from './run-retention';
import { SessionPruning } from './session-pruning';
import { WorkerMachinePruning } from './worker-machine-pruning';

/**
 * The duties that remove old data and make partitions ahead. What is old is decided by the clock of the database: a
 * leader whose own clock is ahead would remove what is young. Only an app with QueueModule has a QueueCleaner.
 */
@Injectable()
export class StoreDuties {
  readonly all: readonly Duty[];

  constructor(
    @Inject(BACKGROUND_POOL) pool: Pool,
    files: FileStore,
    { retention, runRetentionDays, auditRetentionDays }: MaintenanceSettings,
    @Optional() cleaner?: QueueCleaner,
    @Optional() maintenance?: LazyMaintenanceQueue,
  ) {
    const clock = new PostgresClock(pool);
    this.all = [
      ...(cleaner ? [new QueueCleaning(cleaner)] : []),
      ...(cleaner && maintenance ? [new QueueCleaning(maintenance, 'Cleaning of the maintenance queue')] : []),
      new FileLeftovers(files, clock),
      new PartitionsAhead(pool, clock),
      new IdempotencyPruning(pool, clock),
      new SessionPruning(pool, clock),
      new WorkerMachinePruning(pool),
      new CodeBundlePruning(pool, clock),
      new RunDataRetention(pool, clock, retention),
      new FileRetention(files, clock, retention),
      new AuditRetention(pool, clock, auditRetentionDays),
      new RunRetention(pool, files, clock, runRetentionDays),
    ];
  }
}
