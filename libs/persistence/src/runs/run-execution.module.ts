import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { JobQueue, RunFamilies, RunJournal, RunNews, RunNotices, RunWaits } from '@millrace/domain';
import { Pool } from 'pg';
import { PostgresRunFamilies } from './postgres-run-families';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunWaits } from './postgres-run-waits';

export interface RunExecutionSettings {
  /** How long a run may be paused. */
  pausedLimitDays: number;
}

/**
 * For the app that executes runs: the journal, what ends waits, and what tells those who wait for a run. Needs PostgresModule and the queue's module, which
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
        {
          provide: RunNews,
          inject: [RunFamilies, RunNotices],
          useFactory: (families: RunFamilies, notices: RunNotices) => {
            const logger = new Logger(RunNews.name);
            return new RunNews(families, notices, (message) => logger.warn(message));
          },
        },
      ],
      exports: [RunJournal, RunWaits, RunFamilies, RunNews],
    };
  }
}
