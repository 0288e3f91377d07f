import { isJsonObject, type RunResponse } from '@millrace/domain';
import { choicesOf } from '../framework/props';
import { defineAction, definePiece, defineTrigger } from '../framework/piece';
import { callFlow } from './call-flow';

const callableFlow = defineTrigger({
  displayName: 'Callable Flow',
  description: 'Starts a run when another flow calls this one. The output is the payload of the caller.',
  resultType: 'SUBFLOW',
  output: 'The payload of the caller.',
  props: {},
});

/** Outputs the response. The body of the response becomes the output of the step that called the flow. */
const returnResponse = defineAction({
  displayName: 'Return Response',
  description: 'Answers the flow that called this one, and ends the run.',
  isPure: true,
  output: {
    status: 'Always 200.',
    headers: 'The content type of the response.',
    body: 'The response, which is the output of the step that called the flow.',
  },
  props: {
    response: { kind: 'any', displayName: 'Response', required: false },
    mode: {
      kind: 'dropdown',
      displayName: 'Mode, as exports name it',
      description: 'When a mode is chosen, the response is the member "response" of the input "Response".',
      required: false,
      options: choicesOf('simple', 'advanced'),
    },
  },
  run: async ({ input: { response: given, mode }, respond, stop }) => {
    const body = mode !== undefined && isJsonObject(given) && 'response' in given ? given['response'] : given;
    const response = responseWith(body ?? null);
    respond(response);
    stop({ status: 'SUCCEEDED' });
    return response;
  },
});

const responseWith = (body: unknown): RunResponse => ({
  status: 200,
  headers: { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json' },
  body,
});

export const subflows = definePiece({
  name: 'subflows',
  displayName: 'Subflows',
  description: 'Lets flows call each other.',
  category: 'FLOW',
  keywords: ['call', 'child', 'nested', 'function', 'reuse'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: { callable_flow: callableFlow },
  actions: { call_flow: callFlow, return_response: returnResponse },
});
