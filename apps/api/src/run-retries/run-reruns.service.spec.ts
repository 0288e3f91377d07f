import {
  FlowVersionInvalidError,
  type FlowRepository,
  type FlowRunRepository,
  type FlowVersion,
  type FlowVersionReader,
  type ArrivingRun,
  type PopulatedFlow,
  type PublishedFlow,
  type RunWithRecord,
  type RunIntake,
} from '@millrace/domain';
import {
  InMemoryFileStore,
  aFlow,
  aFlowRun,
  aFlowVersion,
  codeStep,
  pieceStep,
  aPrincipal,
} from '@millrace/domain/testing';
import { BuiltInPieces } from '@millrace/pieces';
import type { VersionChecker } from '../flows/version-checker';
import { RunsToRetry } from './runs-to-retry';
import type { RerunDto } from './rerun.dto';
import { RerunVersions, RunRerunsService } from './run-reruns.service';

const principal = aPrincipal('ADMIN', { userId: 'u' });

describe('RunRerunsService', () => {
  const steps = [codeStep('a'), pieceStep('send', {}, { displayName: 'Send' })];
  const published = aFlowVersion(steps, { id: 'published' });
  let draft: FlowVersion;
  let draftProblem: Error | null;
  let recorded: RunWithRecord;
  let flow: PublishedFlow | null;
  let accepted: ArrivingRun[];
  let service: RunRerunsService;

  beforeEach(() => {
    const run = aFlowRun({ flowVersionId: 'executed' });
    draft = aFlowVersion([...steps, codeStep('new')], { id: 'draft', state: 'DRAFT' });
    draftProblem = null;
    flow = { flowId: run.flowId, projectId: run.projectId, status: 'ENABLED', publishedVersionId: 'published' };
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
          { path: 'send', type: 'ACTION', status: 'SUCCEEDED', duration: 1 },
        ],
      },
    };
    const runs = {
      getRecorded: () => Promise.resolve(recorded),
      get: (id: string) => Promise.resolve(aFlowRun({ id, status: 'RUNNING' })),
    } as Partial<FlowRunRepository> as FlowRunRepository;
    const versions = {
      findPublished: () => Promise.resolve(flow),
      getVersion: (id: string) => Promise.resolve({ ...published, id }),
    } as Partial<FlowVersionReader> as FlowVersionReader;
    const flows = {
      get: (): Promise<PopulatedFlow> => Promise.resolve({ ...aFlow(), version: draft }),
    } as Partial<FlowRepository> as FlowRepository;
    const checker = {
      assertTestable: () => (draftProblem ? Promise.reject(draftProblem) : Promise.resolve()),
    } as Partial<VersionChecker> as VersionChecker;
    const intake: RunIntake = {
      accept: (asked) => {
        accepted.push(asked);
        return Promise.resolve({ runId: asked.id, replayed: false });
      },
    };
    const runsToRetry = new RunsToRetry(runs, versions, intake, new InMemoryFileStore(), {
      SVC_EXECUTION_DATA_RETENTION_DAYS: 30,
      SVC_EXECUTION_DATA_RETENTION_HOURS: undefined,
    });
    const rerunVersions = new RerunVersions(runsToRetry, versions, flows, checker);
    service = new RunRerunsService(runsToRetry, rerunVersions, new BuiltInPieces(), runs);
  });

  const rerun = (body: RerunDto = {}) => service.rerun(principal, recorded.run.id, body);

  it('starts the version of the run from the start when nothing else is said', async () => {
    const { run } = (await rerun()) as { run: { id: string } };
    expect(accepted).toEqual([
      expect.objectContaining({
        id: run.id,
        flowVersionId: 'executed',
        payload: '{"n":1}',
        retryOfRunId: recorded.run.id,
        environment: 'PRODUCTION',
        triggeredBy: 'u',
      }),
    ]);
    expect(accepted[0]).not.toHaveProperty('kept');
  });

  it('keeps what comes before the step it starts from', async () => {
    await rerun({ fromStep: 'send', version: 'latest' });
    expect(accepted).toEqual([
      expect.objectContaining({ flowVersionId: 'published', kept: [expect.objectContaining({ path: 'a' })] }),
    ]);
  });

  it('gives the trigger another output, null too', async () => {
    await rerun({ input: { n: 'a\u0000b' } });
    await rerun({ input: null });
    expect(accepted.map(({ payload }) => payload)).toEqual(['{"n":"a\ufffdb"}', 'null']);
  });

  it('runs a draft as a test', async () => {
    await rerun({ version: 'draft', fromStep: 'new' });
    expect(accepted).toEqual([expect.objectContaining({ flowVersionId: 'draft', environment: 'TESTING' })]);
  });

  it('runs the latest version as it was when nothing was edited since', async () => {
    draft = aFlowVersion(steps, { id: 'published', state: 'LOCKED' });
    await rerun({ version: 'draft' });
    expect(accepted).toEqual([expect.objectContaining({ environment: 'PRODUCTION' })]);
  });

  it('tells with dryRun what would run, and starts nothing', async () => {
    const effect = { stepName: 'send', displayName: 'Send', pieceName: 'http', actionName: 'send_request' };
    expect(await rerun({ fromStep: 'send', dryRun: true })).toEqual({
      plan: { steps: [{ ...effect, ranBefore: true }], keptSteps: 1 },
    });
    expect(accepted).toEqual([]);
  });

  it.each<[string, RerunDto, () => void, object]>([
    [
      'a run that goes on',
      {},
      () => (recorded = { ...recorded, run: { ...recorded.run, status: 'RUNNING' } }),
      { code: 'FLOW_RUN_NOT_RETRYABLE' },
    ],
    [
      'a run whose data was purged',
      {},
      () => (recorded = { ...recorded, data: null }),
      { code: 'FLOW_RUN_DATA_EXPIRED' },
    ],
    ...(['same', 'latest', 'draft'] as const).map((version): [string, RerunDto, () => void, object] => [
      `a run whose flow was deleted, on the version "${version}"`,
      { version },
      () => (flow = null),
      { code: 'FLOW_RUN_NOT_RETRYABLE' },
    ]),
    ['an unknown step', { fromStep: 'nowhere' }, () => undefined, { code: 'FLOW_OPERATION_INVALID' }],
    ['an iteration outside of loops', { fromStep: 'a', iteration: 1 }, () => undefined, { code: 'VALIDATION' }],
    [
      'a draft that is not valid',
      { version: 'draft', dryRun: true },
      () => (draftProblem = new FlowVersionInvalidError('draft', [], 'The draft cannot be run')),
      { code: 'FLOW_VERSION_INVALID' },
    ],
  ])('refuses %s', async (_what, body, arrange, refusal) => {
    arrange();
    await expect(rerun(body)).rejects.toMatchObject(refusal);
    expect(accepted).toEqual([]);
  });
});
