import {
  builtInStep,
  codeStep,
  pgbouncerPrepares,
  pgbouncerVersion,
  startPgbouncer,
  webhookTrigger,
  type Pooler,
} from '@millrace/domain/testing';
import { ownDatabase, ServiceProcess, type OwnDatabase } from '@millrace/e2e-support';
import { Client } from 'pg';

const SETTLE_MS = 60_000;
const QUEUE_IS_IN_POSTGRES = process.env['MILLRACE_QUEUE'] !== 'redis';
const serverUrl = process.env['MILLRACE_TEST_DATABASE_URL'];

const doubled = codeStep('doubled', { n: '{{trigger.body.n}}' }, 'export const code = async ({ n }) => n * 2;');
const delayed = (delayFor: number) => builtInStep('wait', 'delay', 'delay_for', { unit: 'seconds', delayFor });
const answer = builtInStep('answer', 'webhook', 'return_response', { fields: { body: { doubled: '{{doubled}}' } } });

// Left out where there is no PgBouncer (Debian: the package pgbouncer), and on Redis, where less goes through it.
const describeWithPooler = pgbouncerVersion() && serverUrl && QUEUE_IS_IN_POSTGRES ? describe : describe.skip;
const MODES = pgbouncerPrepares() ? ['false', 'true'] : ['false'];

describeWithPooler.each(MODES)(
  'a service behind PgBouncer in transaction mode, prepared statements: %s',
  (prepares) => {
    let database: OwnDatabase;
    let pooler: Pooler;
    let service: ServiceProcess;
    let project: string;

    beforeAll(async () => {
      database = (await ownDatabase(process.env)) as OwnDatabase;
      pooler = await startPgbouncer(database.url);
      service = await ServiceProcess.start({
        SVC_DATABASE_URL: pooler.url,
        SVC_DATABASE_SESSION_URL: database.url,
        SVC_DATABASE_POOLER_PREPARES: prepares,
      });
      project = await service.client.createProject('Pooled');
    });
    afterAll(async () => {
      await service.stop();
      await pooler.stop();
      await database.drop();
    });

    const sent = async (flowId: string): Promise<string> =>
      (await service.client.sendWebhook(flowId, { n: 21 })).body.id;

    it('brings many webhooks at once to their end', async () => {
      const { id } = await service.client.publishFlow(project, 'Async', webhookTrigger([doubled]));

      const runIds = await Promise.all(Array.from({ length: 40 }, () => sent(id)));

      for (const runId of runIds) {
        const run = await service.client.endedRun(runId, SETTLE_MS);
        expect(run).toMatchObject({ status: 'SUCCEEDED', steps: { doubled: { output: 42 } } });
      }
    });

    it('answers a sender that waits', async () => {
      const { id } = await service.client.publishFlow(project, 'Sync', webhookTrigger([doubled, answer]));

      const { status, body } = await service.client.request('POST', `/webhooks/${id}/sync`, { n: 21 });

      expect([status, body]).toEqual([200, { doubled: 42 }]);
    });

    it('continues a run after its delay, although its worker was killed meanwhile', async () => {
      const { id } = await service.client.publishFlow(project, 'Delayed', webhookTrigger([delayed(2), doubled]));
      const runId = await sent(id);
      await service.client.runOnce(runId, ({ status }) => status === 'PAUSED');

      service.kill('worker');

      expect((await service.client.endedRun(runId, SETTLE_MS)).status).toBe('SUCCEEDED');
    });

    it('cancels a run that a worker executes', async () => {
      const forever = codeStep('sleeps', {}, 'export const code = async () => { await sleep(60_000); };');
      const { id } = await service.client.publishFlow(project, 'Cancelled', webhookTrigger([doubled, forever]));
      const runId = await sent(id);

      await service.client.runOnce(runId, ({ steps }) => steps?.['doubled']?.status === 'SUCCEEDED');

      await service.client.must('POST', '/flow-runs/cancel', { projectId: project, flowRunIds: [runId] });

      expect((await service.client.endedRun(runId, SETTLE_MS)).status).toBe('STOPPED');
    });

    it('has one session of its own for each app, and no complaints', async () => {
      const db = new Client({ connectionString: database.url });
      await db.connect();
      const { rows } = await db.query<{ name: string }>(
        `select application_name as name from pg_stat_activity
       where datname = current_database() and application_name like '% listener' order by 1`,
      );
      await db.end();
      const complaints = (['api', 'worker', 'webhook-gateway'] as const)
        .flatMap((app) => service.logOf(app))
        .filter(({ msg }) => /prepared statement|start-?up|does not exist|failed, will be tried/.test(String(msg)));

      expect(rows.map(({ name }) => name)).toEqual([
        'millrace api listener',
        'millrace webhook-gateway listener',
        'millrace worker listener',
      ]);
      expect(complaints).toEqual([]);
    });
  },
);
