import { WEBHOOK_AUTH_TYPES } from '@millrace/domain';
import { defineTrigger } from '../framework/piece';
import { choicesOf } from '../framework/props';
import { webhookAuthProblems } from './auth-problems';
import { AUTH_PROPS, CHALLENGE_PROPS } from './auth-props';

export const catchWebhook = defineTrigger({
  displayName: 'Catch Webhook',
  description: 'Starts a run for each request to the webhook URL of the flow.',
  resultType: 'WEBHOOK',
  output: {
    method: '`POST`, `GET`, …',
    headers: 'The headers by name, in lower case. Credentials and signatures read `**REDACTED**`.',
    queryParams: 'The query of the URL.',
    body: 'The value of a JSON body, the fields of a form, the text of another body, or `{}` for an empty body.',
    rawBody: 'The unchanged body, as text.',
  },
  props: {
    authType: {
      kind: 'dropdown',
      displayName: 'Authentication',
      description: 'How a request proves that it comes from the right sender.',
      required: false,
      defaultValue: 'none',
      options: choicesOf(...WEBHOOK_AUTH_TYPES),
    },
    authFields: {
      kind: 'object',
      displayName: 'Authentication details',
      description: "Secrets are never shown again. A value may also be `{{ connections['name'] }}`.",
      required: false,
      membersBy: { input: 'authType', members: AUTH_PROPS },
    },
    echoChallenge: {
      kind: 'object',
      displayName: 'Echoed challenge',
      description: 'How the sender asks whether the address expects its requests. The answer starts no run.',
      required: false,
      members: CHALLENGE_PROPS,
    },
  },
  problems: webhookAuthProblems,
});
