import { builtInStep, codeStep, loop } from '@millrace/domain/testing';
import { ServiceProcess, type RunAnswer } from '@millrace/e2e-support';
import { AgedRuns } from './testing/aged-runs';
import { WatchedRuns } from './testing/watched-runs';

const RETENTION_HOURS = 1;
const OLD_DAYS = 3;
const DAY_MS = 24 * 60 * 60 * 1_000;
const LARGE = `export const code = async () => 'x'.repeat(1_500_000);`;
const THROW = 'export const code = async () => { throw new Error("no"); };';

const waitForApproval = builtInStep('ask', 'approval', 'wait_for_approval');

describe('runs that are older than their data is kept', () => {
  let database: AgedRuns;
  let service: ServiceProcess;
  let runs: WatchedRuns;
  /** The same run, before and after it became old. */
  let before: RunAnswer;
  let old: RunAnswer;
  let largeOutput: string;
  let younger: RunAnswer;
  let waitingId: string;

  beforeAll(async () => {
    database = await AgedRuns.makeDatabase();
    service = await ServiceProcess.start({
      SVC_DATABASE_URL: database.url,
      SVC_EXECUTION_DATA_RETENTION_HOURS: String(RETENTION_HOURS),
    });
    runs = await WatchedRuns.inNewProject(service.client, 'Retention');
    await makeRuns();
    await purgeOldRuns();
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await database.drop();
  });

  async function makeRuns(): Promise<void> {
    const tag = builtInStep('mark', 'flow_control', 'add_tag', { name: 'old' });
    before = await runs.ended(await runs.start([tag, codeStep('large', {}, LARGE), codeStep('fails', {}, THROW)]));
    largeOutput = (before.steps?.['large'] as unknown as { outputFile: { url: string } }).outputFile.url;
    expect((await fetch(largeOutput)).status).toBe(200);
    younger = await runs.ended(await runs.start([codeStep('echo', { n: 1 })]));
    const steps = [loop('each', ['a', 'b'], [waitForApproval]), codeStep('after', { order: '{{trigger.body.order}}' })];
    waitingId = await runs.start(steps, { order: 7 });
    await runs.paused(waitingId);
  }

  /**
   * Makes the runs old, and waits until the duty has purged them. The duty starts at once in a new worker, which
   * replaces the stopped one.
   */
  async function purgeOldRuns(): Promise<void> {
    const oldId = await database.age(before.id, OLD_DAYS);
    waitingId = await database.age(waitingId, OLD_DAYS);
    expect(service.kill('worker', 'SIGTERM')).toBe(true);
    old = await runs.once(oldId, (run) => !('steps' in run));
  }

  const post = (what: string, body: object) => service.client.request('POST', `/flow-runs/${old.id}/${what}`, body);

  it('keep what they are, are found as before, and have lost what they did', async () => {
    const { steps: _, ...metadata } = before;
    const aged = (time: string | null) => new Date(Date.parse(time ?? '') - OLD_DAYS * DAY_MS).toISOString();
    const [created, finishTime] = [aged(before.created), aged(before.finishTime)];
    expect(old).toEqual({ ...metadata, id: old.id, created, finishTime, logsFileId: null, updated: old.updated });
    const listed = await runs.listed('&tags=old&status=FAILED&failedStepName=fails');
    expect(listed.map(({ id }) => id)).toEqual([old.id]);
  });

  it('cannot be repeated', async () => {
    const retentionDays = expect.any(Number) as number;
    const expired = { status: 410, body: { code: 'FLOW_RUN_DATA_EXPIRED', params: { retentionDays } } };
    for (const strategy of ['FROM_FAILED_STEP', 'ON_LATEST_VERSION'])
      expect(await post('retry', { projectId: runs.project, strategy })).toMatchObject(expired);
    expect(await post('rerun', {})).toMatchObject(expired);
    const bulk = { projectId: runs.project, strategy: 'FROM_FAILED_STEP', flowRunIds: [old.id] };
    expect(await service.client.must('POST', '/flow-runs/retry', bulk)).toEqual({ retried: 0 });
  });

  it('have lost their logs and their files', async () => {
    expect((await service.client.request('GET', `/files/${old.id}`)).status).toBe(404);
    const deadline = Date.now() + 10_000;
    let { status } = await fetch(largeOutput);
    while (status !== 404 && Date.now() < deadline) ({ status } = await fetch(largeOutput));
    expect(status).toBe(404);
  });

  it('have lost nothing while they wait, and go on', async () => {
    const waiting = await runs.read(waitingId);
    expect(waiting).toMatchObject({ status: 'PAUSED', steps: { trigger: { output: { body: { order: 7 } } } } });
    await runs.answer(waiting, { approved: true });
    const first = waiting.waitingOn?.requestId;
    const second = await runs.once(
      waitingId,
      ({ status, waitingOn }) => status === 'PAUSED' && waitingOn?.requestId !== first,
    );
    await runs.answer(second, { approved: false });
    expect(await runs.ended(waitingId)).toMatchObject({
      status: 'SUCCEEDED',
      stepsCount: 4,
      steps: { after: { output: { order: 7 } } },
    });
  });

  it('leave younger ones as they are', async () => {
    expect(await runs.read(younger.id)).toEqual(younger);
  });

  it('end as TIMEOUT when nobody answers for as long as they may wait', async () => {
    const paused = await runs.paused(await runs.start([waitForApproval]));

    await database.exhaustPatience(paused.id);

    const ended = await runs.ended(paused.id);
    expect(ended).toMatchObject({
      status: 'TIMEOUT',
      statusReason: expect.stringContaining('paused for longer') as string,
    });
    expect(await runs.answer(paused, { approved: true })).toMatchObject({
      status: 409,
      body: { code: 'FLOW_RUN_NOT_PAUSED', params: { status: 'TIMEOUT' } },
    });
  });
});
