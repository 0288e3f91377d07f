import type { PublishedFlow } from '../flows/flow-version.reader';
import { childRunOf, type CallingRun } from './child-run';

const flow: PublishedFlow = {
  flowId: 'flow_1',
  projectId: 'project_1',
  status: 'ENABLED',
  publishedVersionId: 'version_1',
};
const caller: CallingRun = { runId: 'run_1', projectId: 'project_1', depth: 0 };
const child = { id: 'run_2', payload: '{"a":1}', failParentOnFailure: true };

describe('childRunOf', () => {
  it('runs the published version for the run that calls it', () =>
    expect(childRunOf(flow, caller, child)).toEqual({
      id: 'run_2',
      projectId: 'project_1',
      flowId: 'flow_1',
      flowVersionId: 'version_1',
      environment: 'PRODUCTION',
      triggeredBy: 'subflow',
      triggerType: 'SUBFLOW',
      idempotencyKey: null,
      payload: '{"a":1}',
      parent: { runId: 'run_1', failOnFailure: true, depth: 1 },
    }));

  it('is named by the step that starts it, where no sender from outside can name it', () =>
    expect(childRunOf(flow, caller, { ...child, stepKey: 'run_1:step_1' }).idempotencyKey).toBe('step:run_1:step_1'));

  it.each<[string, Partial<PublishedFlow>, Partial<CallingRun>, object]>([
    ['is disabled', { status: 'DISABLED' }, {}, { code: 'FLOW_DISABLED', message: 'The flow flow_1 is not enabled.' }],
    ['was never published', { publishedVersionId: null }, {}, { code: 'FLOW_DISABLED' }],
    ['belongs to another project', { projectId: 'project_2' }, {}, { code: 'ENTITY_NOT_FOUND' }],
    [
      'would have eleven runs above it',
      {},
      { depth: 10 },
      { code: 'VALIDATION', message: 'A run has at most 10 runs above it, and this one would have more.' },
    ],
  ])('makes no run of a flow that %s', (_, otherFlow, otherCaller, error) =>
    expect(() => childRunOf({ ...flow, ...otherFlow }, { ...caller, ...otherCaller }, child)).toThrow(
      expect.objectContaining(error),
    ),
  );

  it('may have ten runs above it', () =>
    expect(childRunOf(flow, { ...caller, depth: 9 }, child).parent?.depth).toBe(10));
});
