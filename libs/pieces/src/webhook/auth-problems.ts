import { isJsonObject, MAX_WEBHOOK_SECRETS, mayHandshakeSet, namesConnection, REDACTED } from '@millrace/domain';
import { holdsExpression, isMissing } from '../framework/coerce-input';
import { AUTH_PROPS } from './auth-props';

type Input = Readonly<Record<string, unknown>>;

/** What is wrong with the authentication of a webhook that the kinds of its members do not say. */
export function webhookAuthProblems({ authType, authFields, echoChallenge }: Input): string[] {
  const type = Object.keys(AUTH_PROPS).find((each) => each === authType);
  return [
    ...(holdsExpression(authType) ? ['The authentication cannot be an expression.'] : []),
    ...(type === undefined || type === 'none' ? [] : fieldProblems(type, authFields)),
    ...challengeProblems(echoChallenge),
  ];
}

function fieldProblems(authType: string, authFields: unknown): string[] {
  const texts = textsIn(authFields);
  if (texts.some((text) => text.includes('{{') && !namesConnection(text)))
    return [`In authFields, an expression must be the name of a connection: "{{ connections['name'] }}".`];
  if (texts.includes(REDACTED)) return ['A secret in authFields is not known in this flow: write it again.'];
  const fields = isJsonObject(authFields) ? authFields : {};
  // A connection gives all fields at once, and its value is not known here.
  if (typeof authFields === 'string' && !isMissing(authFields)) return [];
  return [
    ...secretsProblems(authType, fields),
    ...headerNameProblems('authFields.headerName', fields['headerName']),
    ...(textsIn(fields['username']).some((name) => name.includes(':'))
      ? ['The user name must not have a colon in it.']
      : []),
  ];
}

function secretsProblems(authType: string, { secrets, secret }: Input): string[] {
  if (!('secrets' in (AUTH_PROPS[authType as keyof typeof AUTH_PROPS] ?? {}))) return [];
  const given = [...(Array.isArray(secrets) ? (secrets as unknown[]) : []), secret].filter((each) => !isMissing(each));
  if (given.length === 0) return ['The input "Secrets" (authFields.secrets) needs a secret.'];
  if (given.some((each) => typeof each !== 'string')) return ['Every secret of authFields must be text.'];
  return given.length > MAX_WEBHOOK_SECRETS ? [`A webhook has at most ${MAX_WEBHOOK_SECRETS} secrets.`] : [];
}

function challengeProblems(echoChallenge: unknown): string[] {
  if (!isJsonObject(echoChallenge)) return [];
  if (holdsExpression(echoChallenge)) return ['The echoed challenge cannot be an expression.'];
  const { in: place, name } = echoChallenge;
  if (place !== 'header' || typeof name !== 'string') return [];
  const problems = headerNameProblems('echoChallenge.name', name);
  if (problems.length > 0 || mayHandshakeSet(name)) return problems;
  return [`echoChallenge.name must not be ${name}: a sender must not decide on this header of an answer.`];
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers by which the service reads requests and sends answers. */
const OF_HTTP = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'location',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function headerNameProblems(input: string, name: unknown): string[] {
  if (typeof name !== 'string' || isMissing(name) || name.includes('{{')) return [];
  if (!HEADER_NAME.test(name)) return [`${input} is not the name of a header.`];
  return OF_HTTP.includes(name.toLowerCase()) ? [`${input} must not be ${name}, which HTTP uses itself.`] : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
