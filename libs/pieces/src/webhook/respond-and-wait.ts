import { isJsonObject, RESUME_URL_HEADER } from '@millrace/domain';
import { isMissing } from '../framework/coerce-input';
import { defineAction } from '../framework/piece';
import { RESPONSE_FIELDS, RESPONSE_TYPE, responseOf, statusProblems } from './response-fields';

/**
 * Answers the caller who waits for the run and sends the resume URL along. The run waits for a request to that URL,
 * which is the output of the step.
 */
export const respondAndWait = defineAction({
  displayName: 'Respond And Wait',
  description: `Answers the request that started the run, and waits for a request to the URL in the header ${RESUME_URL_HEADER} of the answer.`,
  isPure: true,
  output: {
    body: 'The body of the request that came to the URL.',
    headers: 'Its headers.',
    queryParams: 'The query of its URL.',
  },
  props: {
    responseType: RESPONSE_TYPE,
    ...RESPONSE_FIELDS,
    fields: {
      kind: 'dynamic',
      displayName: 'Response, as exports name it',
      description: 'Its members win over the inputs of the same name.',
      required: false,
      props: () => RESPONSE_FIELDS,
    },
  },
  members: () => ({ fields: RESPONSE_FIELDS }),
  problems: ({ status, fields }) => {
    if (isMissing(fields)) return statusProblems(status);
    // An expression may give any fields, so the status is not known.
    if (!isJsonObject(fields)) return [];
    return statusProblems(isMissing(fields['status']) ? status : fields['status']);
  },
  run: async ({ input: { responseType, fields, ...own }, respond, answerUrl, waitFor }) => {
    const response = responseOf(responseType, { ...own, ...fields });
    respond({ ...response, headers: { ...response.headers, [RESUME_URL_HEADER]: answerUrl('webhook') } });
    return waitFor.human({ kind: 'webhook' });
  },
});
