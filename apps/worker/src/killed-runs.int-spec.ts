import 'reflect-metadata';
import {
  ChildRuns,
  JobQueue,
  Mailer,
  NamedEvents,
  parseAllowList,
  RunFamilies,
  RunJournal,
  RunWaits,
  StepFiles,
  StoreEntries,
  SystemClock,
} from '@millrace/domain';
import { aNewRun, InMemoryJobQueue } from '@millrace/domain/testing';
import { PostgresModule, PostgresRunIntake, RunExecutionModule } from '@millrace/persistence';
import { AddressGuard, GuardedHttp } from '@millrace/http';
import { BuiltInPieces, PieceHost } from '@millrace/pieces';
import { createTestDatabase, type TestDatabase } from '@millrace/persistence/testing';
import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { describeKilledRuns } from '@millrace/runner/testing';

const NO_MAILER: Mailer = { send: () => Promise.reject(new Error('No mail is sent here.')) };
const noFile = () => Promise.reject(new Error('No file is written or read here.'));
const NO_FILES: StepFiles = { write: noFile, read: noFile, delete: noFile };
const noChild = () => Promise.reject(new Error('No flow is called here.'));
const NO_CHILDREN: ChildRuns = { prepare: noChild, start: noChild };

/** The workers of these tests get the ids of their runs from the test, without jobs. */
@Global()
@Module({ providers: [{ provide: JobQueue, useFactory: () => new InMemoryJobQueue() }], exports: [JobQueue] })
class NoQueue {}

describe('the journal in PostgreSQL, and a server that counts the calls it gets,', () => {
  let database: TestDatabase;
  let app: TestingModule;
  let called: Server;
  let http: GuardedHttp;
  const keys: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const postgres = PostgresModule.forRoot({ databaseUrl: database.url, applicationName: 'killed runs' });
    const execution = RunExecutionModule.forRoot({ pausedLimitDays: 30 });
    app = await Test.createTestingModule({ imports: [postgres, NoQueue, execution] }).compile();
    called = createServer((request, response) => {
      keys.push(String(request.headers['idempotency-key']));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(called, 'listening');
    http = new GuardedHttp(new AddressGuard({ allowList: parseAllowList('127.0.0.1') }));
  });
  afterAll(async () => {
    await http.close();
    called.close();
    await app.close();
    await database.drop();
  });

  /** Calls the server as an HTTP step does. */
  async function callServer(runId: string, stepKey: string): Promise<void> {
    const host = new PieceHost(new BuiltInPieces(), {
      http,
      store: app.get(StoreEntries),
      mailer: NO_MAILER,
      files: NO_FILES,
      children: NO_CHILDREN,
      events: app.get(NamedEvents),
      clock: new SystemClock(),
      requestId: () => 'request',
      waits: app.get(RunWaits),
      publicUrl: 'https://millrace.test',
    });
    const { port } = called.address() as AddressInfo;
    const input = { method: 'POST', url: `http://127.0.0.1:${port}/` };
    const run = { id: runId, flowId: runId, projectId: runId, stepKey };
    const call = { pieceName: 'http', pieceVersion: '', actionName: 'send_request', input, run };
    expect(await host.run(call, new AbortController().signal)).toMatchObject({ kind: 'value' });
  }

  describeKilledRuns('keeps a run whose workers are killed', () => {
    const pool = app.get(Pool);
    const intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
    return {
      journal: app.get(RunJournal),
      waits: app.get(RunWaits),
      families: app.get(RunFamilies),
      add: async (payload) => (await intake.accept(aNewRun({ payload }))).runId,
      outside: { act: callServer, arrivedFrom: (runId) => keys.filter((key) => key.startsWith(`${runId}:`)) },
      endLease: async (runId) => {
        await pool.query('update flow_run set lease_until = null where id = $1', [runId]);
      },
      comeDue: async (runId) => {
        await pool.query('update run_request set due = now() where run_id = $1 and not ends_run', [runId]);
      },
      childrenOf: async (runId) => {
        const { rows } = await pool.query<{ id: string }>('select id from flow_run where parent_run_id = $1', [runId]);
        return rows.map(({ id }) => id);
      },
    };
  });
});
