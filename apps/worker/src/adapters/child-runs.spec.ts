import type { ArrivingRun, PublishedFlow, RunIntake } from '@millrace/domain';
import { PublishedChildRuns } from './child-runs';

const caller = { runId: 'run_1', projectId: 'project_1', depth: 2 };
const orders: PublishedFlow = {
  flowId: 'flow_1',
  projectId: 'project_1',
  status: 'ENABLED',
  publishedVersionId: 'version_1',
};

function setUp(flow: PublishedFlow | null = orders) {
  const accepted: ArrivingRun[] = [];
  const findCallable = jest.fn(async (projectId: string, name: string) =>
    projectId === 'project_1' && name === 'orders' ? flow : null,
  );
  const intake: RunIntake = {
    accept: async (run) => {
      accepted.push(run);
      return { runId: 'run_of_the_key', replayed: true };
    },
  };
  return { accepted, children: new PublishedChildRuns({ findCallable }, intake, { next: () => 'run_2' }) };
}

describe('PublishedChildRuns', () => {
  it('prepares a child that has not started, and whose ending its waiting parent judges', async () => {
    const { children, accepted } = setUp();

    expect(await children.prepare({ flow: 'orders', payload: '1' }, caller)).toMatchObject({
      id: 'run_2',
      flowVersionId: 'version_1',
      payload: '1',
      parent: { runId: 'run_1', depth: 3, failOnFailure: false },
    });
    expect(accepted).toEqual([]);
  });

  it('starts a child under the key of its step, and answers the run that has it', async () => {
    const { children, accepted } = setUp();
    const call = { flow: 'orders', payload: '1', failParentOnFailure: true, stepKey: 'run_1:step_1' };

    expect(await children.start(call, caller)).toBe('run_of_the_key');
    expect(accepted).toMatchObject([
      { id: 'run_2', idempotencyKey: 'step:run_1:step_1', parent: { runId: 'run_1', depth: 3, failOnFailure: true } },
    ]);
  });

  it.each([
    ['of an unknown name', orders, 'nobody', 'There is no flow with the id "nobody".'],
    ['that is disabled', { ...orders, status: 'DISABLED' } as const, 'orders', 'The flow flow_1 is not enabled.'],
  ])('starts nothing of a flow %s', async (_, flow, name, message) => {
    const { children, accepted } = setUp(flow);
    const call = { flow: name, payload: '1', failParentOnFailure: false, stepKey: 'key' };

    await expect(children.start(call, caller)).rejects.toThrow(message);
    await expect(children.prepare(call, caller)).rejects.toThrow(message);
    expect(accepted).toEqual([]);
  });
});
