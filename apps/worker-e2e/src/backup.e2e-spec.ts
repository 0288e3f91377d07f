import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInStep, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ownDatabase, ownRedisUrl, runApiCommand, ServiceProcess, type OwnDatabase } from '@millrace/e2e-support';

const RUN_ENDS_WITHIN_MS = 100_000;
const SECRET = 'kept-through-the-restore-7d1';
const BEFORE = 40;

/** It proves that the connection opens, and does not show it. */
const readSecret = codeStep(
  'read',
  { secret: "{{ connections['crm'] }}" },
  `export const code = ({ secret }) => ({ isRight: secret === '${SECRET}' });`,
);

describe('a backup of a service under load', () => {
  const encryptionKey = randomBytes(32).toString('hex');
  let folder: string;
  let databases: OwnDatabase[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
    databases = await Promise.all([made(), made()]);
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.drop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const made = async (): Promise<OwnDatabase> => {
    const database = await ownDatabase(process.env);
    if (!database) throw new Error('MILLRACE_TEST_DATABASE_URL is not set: run "npm test -- e2e".');
    return database;
  };
  const start = (database: OwnDatabase | undefined): Promise<ServiceProcess> => {
    const redisUrl = ownRedisUrl(process.env);
    const queue: Record<string, string> = redisUrl ? { SVC_REDIS_URL: redisUrl } : {};
    return ServiceProcess.start({ SVC_DATABASE_URL: database?.url ?? '', SVC_ENCRYPTION_KEY: encryptionKey, ...queue });
  };
  const command = (name: string, database: OwnDatabase | undefined, key = encryptionKey) =>
    runApiCommand(name, { SVC_DATABASE_URL: database?.url ?? '', SVC_ENCRYPTION_KEY: key }, [join(folder, 'backup')]);

  it('gives a new service every run that was accepted before it, its secrets, and its runs that wait', async () => {
    const [database, empty] = databases;
    const first = await start(database);
    const project = await first.client.createProject('Backed up');
    const connection = { projectId: project, externalId: 'crm', displayName: 'crm', type: 'SECRET_TEXT' };
    await first.client.must('POST', '/connections', { ...connection, value: { secret_text: SECRET } });
    const flow = await first.client.publishFlow(project, 'Reads', webhookTrigger([readSecret]));
    const asking = [builtInStep('ask', 'approval', 'wait_for_approval'), readSecret];
    const waiting = await first.client.publishFlow(project, 'Waits', webhookTrigger(asking));
    const send = async (id: string) => (await first.client.sendWebhook(id, {})).body.id;
    const paused = await first.client.pausedRun(await send(waiting.id));
    const accepted = await Promise.all(Array.from({ length: BEFORE }, () => send(flow.id)));

    const load = new AbortController();
    const loading = (async () => {
      while (!load.signal.aborted) await Promise.all([send(flow.id), send(flow.id), send(flow.id), send(flow.id)]);
    })();
    expect(await command('backup', database)).toBe(0);
    load.abort();
    await loading;
    expect(await first.stop()).toBe(0);

    expect(await command('restore', empty, randomBytes(32).toString('hex'))).toBe(1);
    expect(await command('restore', empty)).toBe(0);
    const second = await start(empty);
    for (const id of accepted) {
      const run = await second.client.endedRun(id, RUN_ENDS_WITHIN_MS);
      expect(run).toMatchObject({ status: 'SUCCEEDED', steps: { read: { output: { isRight: true } } } });
    }
    const resume = `/flow-runs/${paused.id}/requests/${paused.requestId}/sync`;
    await second.client.withToken(null).request('POST', resume, { approved: true });
    expect(await second.client.endedRun(paused.id, RUN_ENDS_WITHIN_MS)).toMatchObject({
      status: 'SUCCEEDED',
      steps: { read: { output: { isRight: true } } },
    });
    expect(await second.stop()).toBe(0);
  });
});
