import {
  ServiceUnavailableError,
  TriggerOperations,
  TriggerRegistrationError,
  type OperationOutcome,
  type TriggerOperation,
} from '@millrace/domain';
import { aFlowVersion, InMemoryMaintenanceQueue } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { AwaitedOperations } from './awaited-operations';

const OPERATION: TriggerOperation = {
  id: 'operation_1',
  flowId: 'flow_1',
  projectId: 'project_1',
  kind: 'ENABLING',
  off: [],
  on: { flowId: 'flow_1', projectId: 'project_1', flowVersionId: 'version_1', trigger: aFlowVersion().trigger },
  restore: null,
};

/** Gives these outcomes one after another, and the last one from then on. */
function setUp(...outcomes: OperationOutcome[]) {
  const calls: string[] = [];
  const operations = {
    begin: async () => void calls.push('begin'),
    outcome: async () => (outcomes.length > 1 ? outcomes.shift() : outcomes[0]),
    undo: async () => void calls.push('undo'),
  } as unknown as TriggerOperations;
  const queue = new InMemoryMaintenanceQueue();
  return { calls, queue, awaited: new AwaitedOperations(operations, queue, { ms: 200 }) };
}

beforeAll(() => Logger.overrideLogger(false));

describe('AwaitedOperations', () => {
  it('begin an operation, enqueue its job and wait for its outcome', async () => {
    const { awaited, calls, queue } = setUp({ status: 'pending' }, { status: 'succeeded', value: [1] });

    expect(await awaited.perform(OPERATION)).toEqual([1]);

    expect(calls).toEqual(['begin']);
    expect(queue.waiting()).toEqual([
      {
        kind: 'TriggerHookJob',
        rowId: 'operation_1',
        epoch: 1,
        data: { flowVersionId: 'version_1', projectId: 'project_1' },
      },
    ]);
  });

  it('say that a test has failed, and what the source answered', async () => {
    const { awaited } = setUp({ status: 'failed', problem: 'The server answered 500 Internal Server Error.' });

    await expect(awaited.perform({ ...OPERATION, kind: 'TESTING' })).rejects.toMatchObject({
      code: 'TRIGGER_TEST_FAILED',
      message: 'The server answered 500 Internal Server Error.',
      params: { flowVersionId: 'version_1', stepName: 'trigger' },
    });
  });

  it('give the reason of a hook that fails', async () => {
    const { awaited } = setUp({ status: 'failed', problem: 'The shop answered 401.' });

    const refused = awaited.perform(OPERATION);

    await expect(refused).rejects.toBeInstanceOf(TriggerRegistrationError);
    await expect(refused).rejects.toMatchObject({
      message: 'The trigger cannot be registered: The shop answered 401.',
      params: { flowVersionId: 'version_1', problems: [{ stepName: 'trigger', message: 'The shop answered 401.' }] },
    });
  });

  it.each<[string, OperationOutcome]>([
    ['no worker answers in time', { status: 'pending' }],
    ['the operation was undone', { status: 'gone' }],
  ])('are undone when %s', async (_, outcome) => {
    const { awaited, calls } = setUp(outcome);

    await expect(awaited.perform(OPERATION)).rejects.toBeInstanceOf(ServiceUnavailableError);

    expect(calls).toEqual(['begin', 'undo']);
  });

  it('are undone when the queue is away', async () => {
    const { awaited, calls, queue } = setUp({ status: 'pending' });
    queue.fail();

    await expect(awaited.perform(OPERATION)).rejects.toThrow('the job queue is out of reach');

    expect(calls).toEqual(['begin', 'undo']);
  });

  it('are left to a duty when nobody waits and the queue is away', async () => {
    const { awaited, queue } = setUp();
    queue.fail();

    await expect(awaited.start(OPERATION)).resolves.toBeUndefined();
  });
});
