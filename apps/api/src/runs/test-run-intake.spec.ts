import {
  EntityNotFoundError,
  type NewRun,
  type PieceCatalogue,
  type PopulatedFlow,
  type Principal,
  type SampleDataReader,
} from '@millrace/domain';
import { aFlow, aFlowVersion, webhookTrigger, aPrincipal } from '@millrace/domain/testing';
import { TestRunIntake } from './test-run-intake';

const principal: Principal = {
  ...aPrincipal('ADMIN', { userId: 'u' }),
  kind: 'api_key',
  apiKeyId: 'k',
  expiresAt: null,
};

describe('TestRunIntake', () => {
  const version = aFlowVersion([], { state: 'DRAFT', trigger: webhookTrigger([]) });
  const flow: PopulatedFlow = { ...aFlow({ status: 'DISABLED' }), version };
  let accepted: NewRun[];
  let sample: () => Promise<unknown>;
  let runs: TestRunIntake;

  beforeEach(() => {
    accepted = [];
    sample = () => Promise.reject(new EntityNotFoundError('sample_data', 'trigger'));
    const intake = {
      accept: (run: NewRun) => {
        accepted.push(run);
        return Promise.resolve({ runId: run.id, replayed: false });
      },
    };
    runs = new TestRunIntake(
      intake,
      {
        get: async () => ({ projectId: flow.projectId, payload: await sample() }),
      } as Partial<SampleDataReader> as SampleDataReader,
      {
        know: async () => undefined,
        findTrigger: () => ({ resultType: 'WEBHOOK' }),
      } as unknown as PieceCatalogue,
    );
  });

  const payloadOf = async (given: { payload?: unknown }) => {
    await runs.start(principal, flow, given);
    return accepted[0]?.payload;
  };

  it('starts the latest version for testing, in the name of who asks', async () => {
    const runId = await runs.start(principal, flow, { payload: 1 });
    expect(accepted).toEqual([
      {
        id: runId,
        projectId: flow.projectId,
        flowId: flow.id,
        flowVersionId: version.id,
        environment: 'TESTING',
        triggeredBy: 'api_key:k',
        triggerType: 'WEBHOOK',
        idempotencyKey: null,
        payload: '1',
      },
    ]);
  });

  it('names the step to be tested alone', async () => {
    await runs.start(principal, flow, { testStep: 'step_1' });
    expect(accepted[0]).toMatchObject({ testStep: 'step_1' });
  });

  it('takes what it is given before the sample data, null too', async () => {
    sample = () => Promise.resolve('sample');
    expect(await payloadOf({ payload: null })).toBe('null');
  });

  it('takes the sample data of the trigger when nothing is given, and an empty object when there is none', async () => {
    expect(await payloadOf({})).toBe('{}');
    sample = () => Promise.resolve({ n: 1 });
    accepted = [];
    expect(await payloadOf({})).toBe('{"n":1}');
  });

  it('passes on what keeps the sample data from being read', async () => {
    sample = () => Promise.reject(new Error('away'));
    await expect(runs.start(principal, flow, {})).rejects.toThrow('away');
    expect(accepted).toEqual([]);
  });

  it('replaces what cannot be stored', async () => {
    expect(await payloadOf({ payload: 'a\u0000b' })).toBe('"a\ufffdb"');
  });
});
