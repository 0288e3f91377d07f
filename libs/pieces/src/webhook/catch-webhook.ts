import { holdsExpression } from '../framework/coerce-input';
import { defineTrigger } from '../framework/piece';
import { choicesOf } from '../framework/props';

const SIGNATURE_TYPES: readonly unknown[] = [
  'basic',
  'header',
  'hmac',
  'standard_webhooks',
  'github',
  'stripe',
  'slack',
];

export const catchWebhook = defineTrigger({
  displayName: 'Catch Webhook',
  description: 'Starts a run for each request to the webhook URL of the flow.',
  resultType: 'WEBHOOK',
  output: {
    method: '`POST`, `GET`, …',
    headers: 'The headers by name, in lower case.',
    queryParams: 'The query of the URL.',
    body: 'The value of a JSON body, the fields of a form, the text of another body, or `{}` for an empty body.',
    rawBody: 'The unchanged body, as text.',
  },
  props: {
    authType: {
      kind: 'dropdown',
      displayName: 'Authentication',
      description: 'How a request proves that it comes from the right sender. Only `none` can be published yet.',
      required: false,
      options: choicesOf('none', 'basic', 'header', 'hmac', 'standard_webhooks', 'github', 'stripe', 'slack'),
    },
    authFields: { kind: 'object', displayName: 'Authentication details', required: false },
  },
  problems: ({ authType }) => signatureProblems(authType),
});

/** A flow that asks for a check which we do not make must not be published, because it would accept any request. */
function signatureProblems(authType: unknown): string[] {
  if (SIGNATURE_TYPES.includes(authType)) return ['Signature checks are not available yet.'];
  return holdsExpression(authType) ? ['The authentication cannot be an expression.'] : [];
}
