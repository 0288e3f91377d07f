import { Module, type DynamicModule } from '@nestjs/common';
import { JobQueue, RunFamilies, RunJournal, RunWaits } from '@millrace/domain';
import { Pool } from 'pg';
import { PostgresRunFamilies } from './postgres-run-families';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';

export interface RunExecutionSettings {
  /** How long a run may be paused. */
  pausedLimitDays: number;
}

/**
 * For the app that executes runs: the journal, and what ends waits. Needs PostgresModule and the queue's module, which
 * are global. Global: an app imports it once.
 */
@Module({})
export class RunExecutionModule {
  static forRoot({ pausedLimitDays }: RunExecutionSettings): DynamicModule {
    return {
      module: RunExecutionModule,
      global: true,
      providers: [
        {
          provide: RunJournal,
          inject: [Pool, JobQueue],
          useFactory: (pool: Pool, queue: JobQueue) => new PostgresRunJournal(pool, queue, { pausedLimitDays }),
        },
        {
          provide: RunWaits,
          inject: [Pool, JobQueue],
          useFactory: (pool: Pool, queue: JobQueue) => new PostgresRunWaits(pool, queue),
        },
        {
          provide: RunFamilies,
          inject: [Pool, JobQueue],
          useFactory: (pool: Pool, queue: JobQueue) => new PostgresRunFamilies(pool, queue),
        },
      ],
      exports: [RunJournal, RunWaits, RunFamilies],
    };
  }
}
