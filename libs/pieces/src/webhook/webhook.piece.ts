import { definePiece, defineTrigger } from '../piece';

const AUTH_TYPES = ['none', 'basic', 'header', 'hmac', 'standard_webhooks', 'github', 'stripe', 'slack'];

const catchWebhook = defineTrigger({
  displayName: 'Catch Webhook',
  description: 'Starts a run for each request to the webhook URL of the flow.',
  resultType: 'WEBHOOK',
  props: {
    authType: {
      kind: 'select',
      displayName: 'Authentication',
      description: 'How a request shows that it comes from the right sender.',
      required: false,
      options: AUTH_TYPES,
    },
    authFields: { kind: 'object', displayName: 'Authentication details', required: false },
  },
  problems: ({ authType }) => signatureProblems(authType),
});

/** A flow that asks for a check we do not make must not be published: it would take any request for genuine. */
function signatureProblems(authType: unknown): string[] {
  if (authType === undefined || authType === null || authType === '' || authType === 'none') return [];
  if (typeof authType === 'string' && AUTH_TYPES.includes(authType)) return ['Signature checks are not available yet.'];
  return [`There is no authentication type ${JSON.stringify(authType)}.`];
}

export const webhook = definePiece({
  name: 'webhook',
  displayName: 'Webhook',
  description: 'Receives HTTP requests.',
  version: '0.1.0',
  triggers: { catch_webhook: catchWebhook },
  actions: {},
});
