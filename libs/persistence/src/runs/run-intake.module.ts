import { Module } from '@nestjs/common';
import { JobQueue, RunIntake } from '@millrace/domain';
import { Pool } from 'pg';
import { PostgresRunIntake } from './postgres-run-intake';

/** For apps that accept runs. Needs PostgresModule and the queue's module, which are global. */
@Module({
  providers: [
    {
      provide: RunIntake,
      inject: [Pool, JobQueue],
      useFactory: (pool: Pool, queue: JobQueue) => new PostgresRunIntake(pool, queue),
    },
  ],
  exports: [RunIntake],
})
export class RunIntakeModule {}
