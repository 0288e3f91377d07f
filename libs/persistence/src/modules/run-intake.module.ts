import { Module } from '@nestjs/common';
import { BacklogWatch, IntakeGate, JobQueue, LiveUpdates, RunIntake } from '@millrace/domain';
import { Pool } from 'pg';
import { JobTable } from '../queue/job-table';
import { PostgresRunIntake } from '../runs/postgres-run-intake';

/** Provides RunIntake for apps that accept runs. It needs PostgresModule and QueueModule, which are global. */
@Module({
  providers: [
    {
      provide: RunIntake,
      inject: [Pool, JobQueue, JobTable, BacklogWatch, LiveUpdates, { token: IntakeGate, optional: true }],
      useFactory: (
        pool: Pool,
        queue: JobQueue,
        table: JobTable | null,
        backlog: BacklogWatch,
        live: LiveUpdates,
        gate?: IntakeGate,
      ) => new PostgresRunIntake(pool, queue, { table, backlog, live, gate }),
    },
  ],
  exports: [RunIntake],
})
export class RunIntakeModule {}
