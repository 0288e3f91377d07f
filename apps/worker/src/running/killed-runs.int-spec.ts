import 'reflect-metadata';
import { Mailer, RunJournal, StoreEntries } from '@millrace/domain';
import { aNewRun, InMemoryJobQueue } from '@millrace/domain/testing';
import { PostgresModule, PostgresRunIntake } from '@millrace/persistence';
import { AddressGuard, GuardedHttp, parseAllowList } from '@millrace/http';
import { BuiltInPieces, PieceHost } from '@millrace/pieces';
import { createTestDatabase, type TestDatabase } from '@millrace/persistence/testing';
import { Test, type TestingModule } from '@nestjs/testing';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { describeKilledRuns } from './testing/killed-runs.contract';

const NO_MAILER: Mailer = { send: () => Promise.reject(new Error('No mail is sent here.')) };

describe('the journal in PostgreSQL, and a server that counts the calls it gets,', () => {
  let database: TestDatabase;
  let app: TestingModule;
  let called: Server;
  let http: GuardedHttp;
  const keys: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const postgres = PostgresModule.forRoot({ databaseUrl: database.url, applicationName: 'killed runs' });
    app = await Test.createTestingModule({ imports: [postgres] }).compile();
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

  /** As an HTTP step of a flow does. */
  async function callServer(runId: string, stepKey: string): Promise<void> {
    const host = new PieceHost(new BuiltInPieces(), { http, store: app.get(StoreEntries), mailer: NO_MAILER });
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
      add: async (payload) => (await intake.accept(aNewRun({ payload }))).runId,
      outside: { act: callServer, arrivedFrom: (runId) => keys.filter((key) => key.startsWith(`${runId}:`)) },
      endLease: async (runId) => {
        await pool.query('update flow_run set lease_until = null where id = $1', [runId]);
      },
    };
  });
});
