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
    headers: 'The headers by name, in small letters.',
    queryParams: 'The query of the URL.',
    body: 'The JSON or form that was sent, read; text otherwise; `{}` when nothing was sent.',
    rawBody: 'The body as text, as it came.',
  },
  props: {
    authType: {
      kind: 'dropdown',
      displayName: 'Authentication',
      description: 'How a request shows that it comes from the right sender. Only `none` can be published yet.',
      required: false,
      options: choicesOf('none', 'basic', 'header', 'hmac', 'standard_webhooks', 'github', 'stripe', 'slack'),
    },
    authFields: { kind: 'object', displayName: 'Authentication details', required: false },
  },
  problems: ({ authType }) => signatureProblems(authType),
});

/** A flow that asks for a check we do not make must not be published: it would take any request for genuine. */
function signatureProblems(authType: unknown): string[] {
  if (SIGNATURE_TYPES.includes(authType)) return ['Signature checks are not available yet.'];
  return holdsExpression(authType) ? ['The authentication cannot be an expression.'] : [];
}
