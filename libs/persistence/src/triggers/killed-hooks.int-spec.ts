import type { LiveTrigger, TriggerOperation } from '@millrace/domain';
import { aFlow, aFlowVersion, anId } from '@millrace/domain/testing';
import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openMaintenanceQueue, type OpenMaintenanceQueue } from '../queue/open-maintenance-queue';
import { PostgresStoreEntries } from '../store/postgres-store-entries';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresTriggerOperations } from './postgres-trigger-operations';

const ROOT = join(__dirname, '../../../..');
/** Beside the sources, so that the packages of the project are found from there. */
const BUNDLE = join(ROOT, 'node_modules/.cache', `hook-worker-${process.pid}.cjs`);
const WITHIN_MS = 60_000;

jest.setTimeout(90_000);

/** A server that holds each call until the test answers it. */
class HeldCalls {
  readonly paths: string[] = [];
  private readonly held: { path: string; response: ServerResponse }[] = [];
  private readonly awaited: ((path: string) => void)[] = [];
  private readonly server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    this.paths.push(path);
    this.held.push({ path, response });
    this.awaited.shift()?.(path);
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  next(): Promise<string> {
    return new Promise((resolve) => this.awaited.push(resolve));
  }

  answer(text: string): void {
    this.held.pop()?.response.end(text);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('a worker that is killed while it calls a hook', () => {
  let database: TestDatabase;
  let pool: Pool;
  let source: DataSource;
  let queue: OpenMaintenanceQueue;
  let operations: PostgresTriggerOperations;
  let server: HeldCalls;
  let serverUrl: string;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    await build({
      entryPoints: [join(__dirname, '../testing/hook-worker.ts')],
      outfile: BUNDLE,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      packages: 'external',
      alias: { '@millrace/domain': join(ROOT, 'libs/domain/src/index.ts') },
      tsconfig: join(ROOT, 'tsconfig.base.json'),
      keepNames: true,
    });
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    source = await new DataSource(dataSourceOptions(database.url, 'killed hooks')).initialize();
    queue = await openMaintenanceQueue(
      { databaseUrl: database.url, failedJobRetentionDays: 7, failedJobRetentionMaxCount: 100 },
      20_000,
    );
    operations = new PostgresTriggerOperations(pool);
  });
  beforeEach(async () => {
    server = new HeldCalls();
    serverUrl = await server.start();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map(kill));
    server.stop();
  });
  afterAll(async () => {
    await queue.close();
    await source.destroy();
    await pool.end();
    await database.drop();
    await rm(BUNDLE, { force: true });
  });

  function startWorker(): ChildProcess {
    const worker = spawn(process.execPath, [BUNDLE, database.url, serverUrl], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    workers.push(worker);
    return worker;
  }

  async function kill(worker: ChildProcess): Promise<void> {
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
  }

  async function anEnabling(): Promise<{ operation: TriggerOperation; live: LiveTrigger }> {
    const projectId = await seedProject(source);
    const flow = aFlow({ id: anId(), projectId, status: 'DISABLED' });
    const { nextAction: _steps, ...trigger } = aFlowVersion().trigger;
    const version = aFlowVersion([], { id: anId(), flowId: flow.id });
    await new PostgresFlowRepository(source, aSecretBox()).insert(flow, version);
    const live = { flowId: flow.id, projectId, flowVersionId: version.id, trigger };
    const operation: TriggerOperation = {
      id: anId(),
      flowId: flow.id,
      projectId,
      kind: 'ENABLING',
      off: [],
      on: live,
      restore: null,
    };
    return { operation, live };
  }

  const enqueue = (jobs: readonly { id: string; epoch: number; projectId: string; flowVersionId: string }[]) =>
    queue.jobs.enqueue(
      jobs.map(({ id, epoch, projectId, flowVersionId }) => ({
        kind: 'TriggerHookJob',
        rowId: id,
        epoch,
        data: { flowVersionId, projectId },
      })),
    );

  const webhookOf = ({ projectId, flowId }: LiveTrigger) =>
    new PostgresStoreEntries(pool).get({ projectId, scope: 'FLOW', scopeId: flowId, key: 'webhook' });

  const isOnRecord = async (operationId: string) =>
    (await pool.query('select from trigger_operation where id = $1', [operationId])).rowCount === 1;

  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + WITHIN_MS;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error(`${what} took too long.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it('has the hook called again by another one, whose outcome counts', async () => {
    const { operation, live } = await anEnabling();
    await operations.begin(operation);
    const firstCall = server.next();
    const first = startWorker();
    await enqueue([{ ...operation, epoch: 1, flowVersionId: live.flowVersionId }]);
    expect(await firstCall).toBe(`/onEnable/${live.flowVersionId}`);

    await kill(first);
    const secondCall = server.next();
    startWorker();
    expect(await secondCall).toBe(`/onEnable/${live.flowVersionId}`);
    server.answer('hook_2');

    await until('The outcome', async () => (await operations.outcome(operation.id)).status !== 'pending');
    expect(await operations.outcome(operation.id)).toEqual({ status: 'succeeded', value: null });
    expect(await webhookOf(live)).toBe('hook_2');
    expect(server.paths).toHaveLength(2);
  });

  it('has what it may have registered taken back when nobody waits any more', async () => {
    const { operation, live } = await anEnabling();
    await operations.begin(operation);
    const firstCall = server.next();
    const first = startWorker();
    await enqueue([{ ...operation, epoch: 1, flowVersionId: live.flowVersionId }]);
    await firstCall;
    await kill(first);

    await operations.undo(operation.id);
    await pool.query('update trigger_operation set due_at = now()');
    const secondCall = server.next();
    await enqueue(await operations.claimDue(10));
    startWorker();

    expect(await secondCall).toBe(`/onDisable/${live.flowVersionId}`);
    server.answer('');
    await until('The end', async () => !(await isOnRecord(operation.id)));
    const flow = await new PostgresFlowRepository(source, aSecretBox()).get(live.flowId, 'any');
    expect(flow).toMatchObject({ status: 'DISABLED', operationStatus: 'NONE' });
    expect(await webhookOf(live)).toBeNull();
  });
});
