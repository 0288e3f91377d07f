import { isJsonObject } from '@millrace/domain';
import { defineAction } from '../framework/piece';
import { RESPONSE_FIELDS, RESPONSE_OUTPUT, RESPONSE_TYPE, responseOf, statusProblems } from './response-fields';

/** Answers the caller who waits for the run. The output of the step is the response. */
export const returnResponse = defineAction({
  displayName: 'Return Response',
  description: 'Answers the request that started the run, when its sender waits for it.',
  isPure: true,
  output: RESPONSE_OUTPUT,
  props: {
    responseType: RESPONSE_TYPE,
    fields: { kind: 'dynamic', displayName: 'Response', required: false, props: () => RESPONSE_FIELDS },
    respond: {
      kind: 'dropdown',
      displayName: 'After the response',
      required: false,
      defaultValue: 'stop',
      options: [
        { label: 'End the run', value: 'stop' },
        { label: 'Continue', value: 'respond' },
      ],
    },
  },
  members: () => ({ fields: RESPONSE_FIELDS }),
  problems: ({ fields }) => (isJsonObject(fields) ? statusProblems(fields['status']) : []),
  run: async ({ input, respond, stop }) => {
    const response = responseOf(input.responseType, input.fields);
    respond(response);
    if (input.respond === 'stop') stop({ status: 'SUCCEEDED' });
    return response;
  },
});
