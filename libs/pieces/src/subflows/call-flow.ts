import { isJsonObject } from '@millrace/domain';
import { isMissing } from '../framework/coerce-input';
import { ActionFailure, defineAction } from '../framework/piece';

type Given = Readonly<Record<string, unknown>>;

/** Calls a flow of the same project. The output is the child's response, or the id of a child that is not waited for. */
export const callFlow = defineAction({
  displayName: 'Call Flow',
  description: 'Starts a run of another flow, and may wait for its response.',
  output:
    'With `waitForResponse` the body of the response of the called flow, null when it gave none; otherwise `{runId}`.',
  props: {
    flowId: { kind: 'text', displayName: 'Flow', description: 'Its id.', required: false },
    externalId: { kind: 'text', displayName: 'External id', description: 'In place of its id.', required: false },
    payload: {
      kind: 'any',
      displayName: 'Payload',
      description: 'What the trigger of the flow is given.',
      required: false,
    },
    waitForResponse: {
      kind: 'checkbox',
      displayName: 'Wait for response',
      required: false,
      defaultValue: false,
    },
    failParentOnFailure: {
      kind: 'checkbox',
      displayName: 'Fail with it',
      description: 'When nobody waits for it: any ending of the called run but SUCCEEDED fails this run.',
      required: false,
      defaultValue: false,
    },
    flow: { kind: 'object', displayName: 'Flow, as exports name it', required: false },
    flowProps: { kind: 'object', displayName: 'Payload, as exports name it', required: false },
  },
  problems: (input) => (flowNamedIn(input) === undefined ? ['The input "Flow" (flowId) is required.'] : []),
  run: async ({ input, startRun, waitFor }) => {
    const flow = flowNamedIn(input);
    if (flow === undefined) throw new ActionFailure('The input "Flow" (flowId) is required.');
    const start = { flow: String(flow), payload: input.payload ?? input.flowProps?.['payload'] ?? {} };
    if (input.waitForResponse) return waitFor.child(start);
    return { runId: await startRun({ ...start, failParentOnFailure: input.failParentOnFailure }) };
  },
  resume: async (_context, ending) => {
    if (ending.kind !== 'child') throw new ActionFailure('The wait for the called flow ended without its ending.');
    if (ending.status !== 'SUCCEEDED')
      throw new ActionFailure(`The run ${ending.runId} of the called flow ended as ${ending.status}.`);
    return ending.response?.body ?? null;
  },
});

/** Undefined when the author named none. Exports have an object with one of its ids. */
function flowNamedIn({ flowId, externalId, flow }: Given): unknown {
  const named = isJsonObject(flow) ? [flow['externalId'], flow['id']] : [flow];
  return [flowId, externalId, ...named].find((name) => !isMissing(name));
}
