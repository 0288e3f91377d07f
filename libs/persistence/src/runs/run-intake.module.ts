import { Module } from '@nestjs/common';
import { BacklogWatch, IntakeGate, JobQueue, RunIntake } from '@millrace/domain';
import { Pool } from 'pg';
import { PostgresRunIntake } from './postgres-run-intake';

/** For apps that accept runs. Needs PostgresModule and the queue's module, which are global. */
@Module({
  providers: [
    {
      provide: RunIntake,
      inject: [Pool, JobQueue, BacklogWatch, { token: IntakeGate, optional: true }],
      useFactory: (pool: Pool, queue: JobQueue, backlog: BacklogWatch, gate?: IntakeGate) =>
        new PostgresRunIntake(pool, queue, { backlog, gate }),
    },
  ],
  exports: [RunIntake],
})
export class RunIntakeModule {}
