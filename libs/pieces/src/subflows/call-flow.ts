import { endedAs, isJsonObject } from '@millrace/domain';
import { holdsExpression, isMissing } from '../framework/coerce-input';
import { ActionFailure, defineAction } from '../framework/piece';

type Given = Readonly<Record<string, unknown>>;

/** Calls a flow of the same project. The output is the child's response, or its run id when the step does not wait. */
export const callFlow = defineAction({
  displayName: 'Call Flow',
  description: 'Starts a run of another flow, and may wait for its response.',
  output:
    "With `waitForResponse`, the body of the called flow's response, or null without a response. Otherwise `{runId}`.",
  props: {
    flowId: { kind: 'text', displayName: 'Flow', description: 'Its id.', required: false },
    externalId: { kind: 'text', displayName: 'External id', description: 'Used when no id is given.', required: false },
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
      description: 'Without "Wait for response": any ending of the called run but SUCCEEDED fails this run.',
      required: false,
      defaultValue: false,
    },
    flow: { kind: 'object', displayName: 'Flow, as exports name it', required: false },
    flowProps: { kind: 'object', displayName: 'Payload, as exports name it', required: false },
  },
  problems: (input) => (flowNamedIn(input) === undefined ? ['The input "Flow" (flowId) is required.'] : []),
  warnings: ({ flowId, externalId }) =>
    isMissing(flowId) || holdsExpression(flowId) || isMissing(externalId)
      ? []
      : ['The input "External id" (externalId) is not used, because "Flow" (flowId) is given.'],
  run: async ({ input, startRun, waitFor }) => {
    const flow = flowNamedIn(input);
    if (flow === undefined) throw new ActionFailure('The input "Flow" (flowId) is required.');
    const start = { flow, payload: input.payload ?? input.flowProps?.['payload'] ?? {} };
    if (input.waitForResponse) return waitFor.child(start);
    return { runId: await startRun({ ...start, failParentOnFailure: input.failParentOnFailure }) };
  },
  resume: async (_context, ending) => {
    if (ending.kind !== 'child') throw new ActionFailure('The wait for the called flow ended without its ending.');
    if (ending.status !== 'SUCCEEDED')
      throw new ActionFailure(
        `The run ${ending.runId} of the called flow ended as ${endedAs(ending.status, ending.message)}`,
      );
    return ending.response?.body ?? null;
  },
});

/** The id of the flow, or undefined when the author named none. Exports have an object with one of the flow's ids. */
function flowNamedIn({ flowId, externalId, flow }: Given): string | undefined {
  const named = isJsonObject(flow) ? [flow['externalId'], flow['id']] : [flow];
  const name = [flowId, externalId, ...named].find((each) => !isMissing(each));
  return typeof name === 'string' ? name : JSON.stringify(name);
}
