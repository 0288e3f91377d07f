import type { FlowTrigger } from '@millrace/domain';
import { builtInTrigger, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { Client } from 'pg';
import { WatchedRuns } from './testing/watched-runs';

const DAY_MS = 86_400_000;
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

const scheduleTrigger = (triggerName: string, input: Record<string, unknown>, piece = 'schedule'): FlowTrigger =>
  builtInTrigger(piece, triggerName, [codeStep('at', { at: '{{trigger.scheduledFor}}' })], input);
const cron = (cronExpression: string, timezone = 'UTC'): FlowTrigger =>
  scheduleTrigger('cron_expression', { cronExpression, timezone });

describe('schedules', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const database = new Client({ connectionString: service.stores()['SVC_DATABASE_URL'] });
  let runs: WatchedRuns;

  beforeAll(async () => {
    await database.connect();
    runs = await WatchedRuns.inNewProject(client, 'Schedules');
  });
  afterAll(() => database.end());

  /** Moves the next instant of the flow's schedule to the last full hour. Returns that hour. */
  const makeDue = async (flowId: string): Promise<string> => {
    const text = `
      update trigger_state set next_instant = date_trunc('hour', now()), due_at = date_trunc('hour', now())
      where flow_id = $1 and is_enabled returning next_instant`;
    const { rows } = await database.query<{ next_instant: Date }>(text, [flowId]);
    return rows[0]?.next_instant.toISOString() ?? '';
  };
  const dueAtOf = async (flowId: string): Promise<Date | null | undefined> => {
    const text = 'select due_at from trigger_state where flow_id = $1';
    return (await database.query<{ due_at: Date | null }>(text, [flowId])).rows[0]?.due_at;
  };
  const firstRunOf = async (flowId: string): Promise<string> => {
    for (const deadline = Date.now() + 15_000; Date.now() < deadline;) {
      const [run] = await runs.listed(`&flowId=${flowId}`);
      if (run) return run.id;
    }
    throw new Error(`The schedule of flow ${flowId} has not fired.`);
  };
  const backfill = (flowId: string, body: object) =>
    client.request<{ runs: number }>('POST', `/flows/${flowId}/backfill`, body);

  it('start a run when an instant has come, and wait for the next one', async () => {
    const flowId = await runs.publish(cron('0 * * * *', 'Europe/Berlin'));

    const instant = await makeDue(flowId);

    expect(await runs.ended(await firstRunOf(flowId))).toMatchObject({
      status: 'SUCCEEDED',
      environment: 'PRODUCTION',
      triggeredBy: 'schedule',
      steps: {
        trigger: {
          type: 'SCHEDULE',
          output: { scheduledFor: instant, cronExpression: '0 * * * *', timezone: 'Europe/Berlin' },
        },
        at: { output: { at: instant } },
      },
    });
    expect(await dueAtOf(flowId)).toEqual(new Date(Date.parse(instant) + 3_600_000));
  });

  it('stop with their flow, and start from now when it is enabled again', async () => {
    const flowId = await runs.publish(scheduleTrigger('every_hour', {}));
    const changeStatus = (status: string) =>
      client.must('POST', `/flows/${flowId}`, { type: 'CHANGE_STATUS', request: { status } });

    await changeStatus('DISABLED');
    expect(await dueAtOf(flowId)).toBeNull();
    await changeStatus('ENABLED');

    expect((await dueAtOf(flowId))?.getTime()).toBeGreaterThan(Date.now());
    expect(await runs.listed(`&flowId=${flowId}`)).toEqual([]);
  });

  it('are imported from the public piece, with its inputs', async () => {
    const input = { hour_of_the_day: 7, timezone: 'Asia/Tokyo', run_on_weekends: true };
    const flowId = await runs.publish(scheduleTrigger('every_day', input, '@activepieces/piece-schedule'));

    expect((await dueAtOf(flowId))?.toISOString()).toMatch(/T22:00:00.000Z$/);
  });

  it.each([
    ['0 0 30 2 *', 'UTC', 'never fires'],
    ['0 9 * * *', 'Mars/City', 'no time zone'],
    ['0 9 * *', 'UTC', 'five fields'],
  ])('cannot be published when they are %s in %s', async (cronExpression, timezone, message) => {
    const { id } = await client.createFlow(runs.project, 'Never');
    await client.importFlow(id, 'Never', cron(cronExpression, timezone));

    expect(await client.request('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} })).toMatchObject({
      status: 409,
      body: { code: 'FLOW_VERSION_INVALID', params: { problems: [{ message: expect.stringContaining(message) }] } },
    });
  });

  describe('are backfilled', () => {
    it('with one run for each instant that has none, however often that is asked for', async () => {
      const flowId = await runs.publish(cron('0 12 * * *'));
      const range = { from: ago(5 * DAY_MS), to: ago(0) };

      expect(await backfill(flowId, { ...range, dryRun: true })).toMatchObject({ status: 200, body: { runs: 5 } });
      expect(await runs.listed(`&flowId=${flowId}`)).toEqual([]);
      expect(await backfill(flowId, range)).toMatchObject({ status: 200, body: { runs: 5 } });
      expect(await backfill(flowId, range)).toMatchObject({ status: 200, body: { runs: 0 } });

      const made = await runs.listed(`&flowId=${flowId}`);
      const ended = await Promise.all(made.map(({ id }) => runs.ended(id)));
      const instants = ended.map(({ steps }) => (steps?.['at']?.output as { at: string }).at);
      expect(new Set(instants).size).toBe(5);
      expect(instants.every((instant) => instant.endsWith('T12:00:00.000Z'))).toBe(true);
    });

    it('at most a thousand at once', async () => {
      const flowId = await runs.publish(cron('* * * * *'));
      const range = { from: ago(2 * DAY_MS), to: ago(0), dryRun: true };

      expect(await backfill(flowId, range)).toMatchObject({ status: 200, body: { runs: 1_000 } });
    });

    it.each([
      [{ from: '1970-01-01', to: '2030-01-01' }, '/from'],
      [{ from: '2999-01-01', to: '2999-01-02' }, '/from'],
      [{ from: ago(DAY_MS), to: ago(2 * DAY_MS) }, '/to'],
      [{ from: 'yesterday', to: ago(0) }, '/from'],
      [{ from: ago(DAY_MS) }, '/to'],
      [{ from: ago(DAY_MS), to: ago(0), dryRun: 'yes' }, '/dryRun'],
    ])('not for %j', async (body, path) => {
      const flowId = await runs.publish(cron('* * * * *'));

      expect(await backfill(flowId, body)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION', params: { errors: [{ path }] } },
      });
    });

    it('not for a flow without a schedule, a disabled one, or one that nobody may see', async () => {
      const range = { from: ago(DAY_MS), to: ago(0) };
      const webhook = await runs.publish(webhookTrigger());
      const { id: disabled } = await client.createFlow(runs.project, 'Disabled');
      const other = await client.createProject('Other');
      const { value } = await client.must<{ value: string }>('POST', '/api-keys', {
        displayName: 'K',
        projectId: other,
      });
      const stranger = new ServiceClient(service.baseUrl, value);

      expect(await backfill(webhook, range)).toMatchObject({ status: 400, body: { code: 'FLOW_OPERATION_INVALID' } });
      expect(await backfill(disabled, range)).toMatchObject({ status: 409, body: { code: 'FLOW_DISABLED' } });
      expect(await stranger.request('POST', `/flows/${webhook}/backfill`, range)).toMatchObject({ status: 404 });
    });
  });
});
