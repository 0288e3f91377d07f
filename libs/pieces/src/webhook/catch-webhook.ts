import { holdsExpression, isMissing } from '../framework/coerce-input';
import { defineTrigger } from '../framework/piece';
import { choicesOf, type Props } from '../framework/props';

const SECRETS = ['secrets', 'secret'];

/** The authentication types that check something, with the members of `authFields` that each reads. */
const AUTH_FIELDS: Readonly<Record<string, readonly string[]>> = {
  basic: ['username', 'password'],
  header: ['headerName', 'headerValue'],
  hmac: [...SECRETS, 'headerName', 'algorithm', 'encoding', 'prefix'],
  standard_webhooks: SECRETS,
  github: SECRETS,
  stripe: SECRETS,
  slack: SECRETS,
};

/** The members of the input `authFields`. Nothing is known about them while the authentication type is not known. */
function authMembers(authType: unknown): Readonly<Record<string, Props>> {
  const type = isMissing(authType) ? 'none' : String(authType);
  const names = type === 'none' ? [] : Object.hasOwn(AUTH_FIELDS, type) ? AUTH_FIELDS[type] : undefined;
  const memberOf = (name: string) => [name, { kind: 'any', displayName: name, required: false }] as const;
  return names ? { authFields: Object.fromEntries(names.map(memberOf)) } : {};
}

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
  members: ({ authType }) => authMembers(authType),
  problems: ({ authType }) => signatureProblems(authType),
});

/** A flow that asks for a check which we do not make must not be published, because it would accept any request. */
function signatureProblems(authType: unknown): string[] {
  if (typeof authType === 'string' && Object.hasOwn(AUTH_FIELDS, authType))
    return ['Signature checks are not available yet.'];
  return holdsExpression(authType) ? ['The authentication cannot be an expression.'] : [];
}
