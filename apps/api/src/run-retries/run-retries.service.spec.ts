import type {
  FlowRun,
  FlowRunRepository,
  FlowVersion,
  FlowVersionReader,
  ArrivingRun,
  Principal,
  PublishedFlow,
  RunWithRecord,
  RetryStrategy,
  RunIntake,
} from '@millrace/domain';
import { InMemoryFileStore, aFlowRun, aFlowVersion, anId, codeStep, aPrincipal } from '@millrace/domain/testing';
import { RunsToRetry } from './runs-to-retry';
import { RunRetriesService } from './run-retries.service';

const principal: Principal = {
  ...aPrincipal('ADMIN', { userId: 'u' }),
  kind: 'api_key',
  apiKeyId: 'k',
  expiresAt: null,
};

describe('RunRetriesService', () => {
  let recorded: RunWithRecord;
  let flow: PublishedFlow | null;
  let version: FlowVersion;
  let accepted: ArrivingRun[];
  let service: RunRetriesService;

  const becomes = (more: Partial<FlowRun>) => (recorded = { ...recorded, run: { ...recorded.run, ...more } });

  beforeEach(() => {
    const run = aFlowRun({ status: 'FAILED', failedStep: { name: 'b', displayName: 'B', message: 'no' } });
    flow = { flowId: run.flowId, projectId: run.projectId, status: 'DISABLED', publishedVersionId: 'published' };
    version = aFlowVersion([codeStep('a'), codeStep('b')]);
    accepted = [];
    recorded = {
      run,
      testStep: null,
      triggerType: 'WEBHOOK',
      depth: 0,
      data: {
        payload: '{"n":1}',
        recorded: [
          { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1 },
          { path: 'b', type: 'CODE', status: 'FAILED', duration: 1 },
        ],
      },
    };
    const runs = {
      getRecorded: () => Promise.resolve(recorded),
      get: (id: string) => Promise.resolve(aFlowRun({ id, status: 'RUNNING' })),
    } as Partial<FlowRunRepository> as FlowRunRepository;
    const versions = {
      findPublished: () => Promise.resolve(flow),
      getVersion: () => Promise.resolve(version),
    } as Partial<FlowVersionReader> as FlowVersionReader;
    const intake: RunIntake = {
      accept: (asked) => {
        accepted.push(asked);
        return Promise.resolve({ runId: asked.id, replayed: false });
      },
    };
    const runsToRetry = new RunsToRetry(runs, versions, intake, new InMemoryFileStore(), {
      SVC_EXECUTION_DATA_RETENTION_DAYS: 12,
      SVC_EXECUTION_DATA_RETENTION_HOURS: undefined,
    });
    service = new RunRetriesService(runsToRetry, versions, runs);
  });

  const retry = (strategy: RetryStrategy, projectId = recorded.run.projectId) =>
    service.retry(principal, recorded.run.id, { strategy, projectId });

  it('goes on from the failed step on the version of the run, with what it kept', async () => {
    const started = await retry('FROM_FAILED_STEP');
    const { run } = recorded;
    expect(accepted).toEqual([
      {
        id: started.id,
        projectId: run.projectId,
        flowId: run.flowId,
        flowVersionId: run.flowVersionId,
        environment: 'PRODUCTION',
        triggeredBy: 'api_key:k',
        triggerType: 'WEBHOOK',
        idempotencyKey: null,
        payload: '{"n":1}',
        retryOfRunId: run.id,
        kept: [{ path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1 }],
      },
    ]);
  });

  it('starts over on the published version with the same payload, also of a disabled flow', async () => {
    await retry('ON_LATEST_VERSION');
    expect(accepted).toEqual([expect.objectContaining({ flowVersionId: 'published', payload: '{"n":1}' })]);
    expect(accepted[0]).not.toHaveProperty('kept');
  });

  it('starts a succeeded run over, but not from a failed step', async () => {
    becomes({ status: 'SUCCEEDED' });
    await retry('ON_LATEST_VERSION');
    await expect(retry('FROM_FAILED_STEP')).rejects.toMatchObject({ code: 'FLOW_RUN_NOT_RETRYABLE' });
    expect(accepted).toHaveLength(1);
  });

  it('starts a run over whose steps cannot be read, but not from a failed step', async () => {
    recorded = { ...recorded, data: { payload: '{"n":1}', recorded: null } };
    await retry('ON_LATEST_VERSION');
    await expect(retry('FROM_FAILED_STEP')).rejects.toMatchObject({ code: 'FLOW_RUN_DATA_UNREADABLE' });
    expect(accepted).toEqual([expect.objectContaining({ payload: '{"n":1}' })]);
  });

  it('keeps of a test only what the draft still has', async () => {
    becomes({ environment: 'TESTING' });
    version = aFlowVersion([codeStep('renamed'), codeStep('b')]);
    await retry('FROM_FAILED_STEP');
    expect(accepted[0]).toMatchObject({ environment: 'TESTING' });
    expect(accepted[0]).not.toHaveProperty('kept');
  });

  it('refuses a project that is not the one of the run', async () => {
    const other = anId();
    await expect(retry('FROM_FAILED_STEP', other)).rejects.toMatchObject({
      code: 'AUTHORIZATION',
      message: `The run ${recorded.run.id} is not in the project "${other}".`,
    });
    expect(accepted).toEqual([]);
  });

  it.each<[string, () => void, RetryStrategy, object]>([
    ['that goes on', () => becomes({ status: 'PAUSED' }), 'ON_LATEST_VERSION', { code: 'FLOW_RUN_NOT_RETRYABLE' }],
    [
      'whose data was purged',
      () => (recorded = { ...recorded, data: null }),
      'FROM_FAILED_STEP',
      { code: 'FLOW_RUN_DATA_EXPIRED', params: { retentionDays: 12 } },
    ],
    [
      'whose payload cannot be read',
      () => (recorded = { ...recorded, data: { payload: null, recorded: [] } }),
      'ON_LATEST_VERSION',
      { code: 'FLOW_RUN_DATA_UNREADABLE', params: { flowRunId: expect.any(String) } },
    ],
    ...(['FROM_FAILED_STEP', 'ON_LATEST_VERSION'] as const).map(
      (strategy): [string, () => void, RetryStrategy, object] => [
        'whose flow was deleted',
        () => (flow = null),
        strategy,
        { code: 'FLOW_RUN_NOT_RETRYABLE', message: expect.stringMatching(/^The flow of the run .* was deleted\.$/) },
      ],
    ),
    [
      'whose flow was never published, on its latest version',
      () => (flow = flow && { ...flow, publishedVersionId: null }),
      'ON_LATEST_VERSION',
      {
        code: 'FLOW_RUN_NOT_RETRYABLE',
        message: expect.stringMatching(/^The flow of the run .* has no published version\.$/),
      },
    ],
  ])('refuses a run %s', async (_what, arrange, strategy, refusal) => {
    arrange();
    await expect(retry(strategy)).rejects.toMatchObject(refusal);
    expect(accepted).toEqual([]);
  });
});
