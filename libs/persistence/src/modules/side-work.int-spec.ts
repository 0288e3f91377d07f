import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  DueEvents,
  JobQueue,
  PiecePackages,
  Polls,
  RunIntake,
  TriggerOperations,
  UnfinishedRuns,
} from '@millrace/domain';
import { aNewRun, anId, InMemoryJobQueue } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { JobTable } from '../queue/job-table';
import { KeyRing } from '../secrets/key-ring';
import { untilLockWait } from '../testing/stalled-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { EventDeliveryModule } from './event-delivery.module';
import { PostgresModule } from './postgres.module';
import { RunExecutionModule } from './run-execution.module';
import { RunIntakeModule } from './run-intake.module';
import { SecretsModule } from './secrets.module';

@Module({
  providers: [
    { provide: JobQueue, useValue: new InMemoryJobQueue() },
    { provide: JobTable, useValue: null },
  ],
  exports: [JobQueue, JobTable],
})
class InMemoryQueueModule {}

const MANY = 20;
/** Later than the creation of every run. */
const LATER = new Date(Date.now() + 3_600_000);

describe('work beside runs', () => {
  let database: TestDatabase;
  let observer: Pool;
  let app: TestingModule;

  beforeAll(async () => {
    database = await createTestDatabase();
    observer = new Pool({ connectionString: database.url });
  });
  afterEach(() => app.close());
  afterAll(async () => {
    await observer.end();
    await database.drop();
  });

  const start = async (hot: number): Promise<void> => {
    app = await Test.createTestingModule({
      imports: [
        PostgresModule.forRoot({
          databaseUrl: database.url,
          applicationName: 'side work test',
          connections: { hot, editing: 0, queue: 0 },
        }),
        { module: InMemoryQueueModule, global: true },
        SecretsModule.forRoot(KeyRing.of({ encryptionKey: randomBytes(32) })),
        EventDeliveryModule,
        RunExecutionModule.forRoot({}),
        RunIntakeModule,
      ],
    }).compile();
    await app.init();
  };

  const lock = async (table: string): Promise<() => Promise<void>> => {
    const holder = await observer.connect();
    await holder.query(`begin; lock table ${table} in access exclusive mode`);
    return async () => {
      await holder.query('rollback');
      holder.release();
    };
  };

  const works: [what: string, table: string, work: () => Promise<unknown>][] = [
    ['polls', 'trigger_state', () => app.get(Polls).find({ flowId: anId(), epoch: 1 })],
    ['event deliveries', 'event_destination', () => app.get(DueEvents).claim(LATER, 1)],
    ['hooks of triggers', 'trigger_operation', () => app.get(TriggerOperations).claim(anId(), 1)],
    ['installations of pieces', 'piece_package', () => app.get(PiecePackages).list()],
    ['the rescuer', 'flow_control_run', () => app.get(UnfinishedRuns).findUnfinished(-60_000, null, 1)],
  ];

  it.each(works.flatMap((work) => [2, 3].map((connections) => [...work, connections] as const)))(
    'leaves a connection to runs while many of %s wait for %s (%#)',
    async (_what, table, work, connections) => {
      await start(connections);
      await app.get(RunIntake).accept(aNewRun());
      const unlock = await lock(table);
      let ended = 0;
      const all = Promise.allSettled(Array.from({ length: MANY }, () => work().finally(() => ended++)));
      try {
        await untilLockWait(observer);

        const accepted = await app.get(RunIntake).accept(aNewRun());

        expect([accepted.replayed, ended]).toEqual([false, 0]);
      } finally {
        await unlock();
        await all;
      }
    },
  );
});
