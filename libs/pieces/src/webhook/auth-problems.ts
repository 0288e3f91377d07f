import {
  isJsonObject,
  isStandardSecret,
  MAX_WEBHOOK_SECRETS,
  mayHandshakeSet,
  namesConnection,
  REDACTED,
} from '@millrace/domain';
import { holdsExpression, isMissing } from '../framework/coerce-input';
import { headerNameProblems } from '../http/header-problems';
import { AUTH_PROPS } from './auth-props';

type Input = Readonly<Record<string, unknown>>;

/** What is wrong with the authentication of a webhook that the kinds of its members do not say. */
export function webhookAuthProblems({ authType, authFields, echoChallenge }: Input): string[] {
  const type = Object.keys(AUTH_PROPS).find((each) => each === authType);
  return [
    ...(holdsExpression(authType) ? ['The input "Authentication" (authType) cannot be an expression.'] : []),
    ...(type === undefined || type === 'none' ? [] : fieldProblems(type, authFields)),
    ...challengeProblems(echoChallenge),
  ];
}

function fieldProblems(authType: string, authFields: unknown): string[] {
  const texts = textsIn('authFields', authFields);
  const wrong = texts.filter(([, text]) => text.includes('{{') && !namesConnection(text));
  const unknown = texts.filter(([, text]) => text === REDACTED);
  if (wrong.length + unknown.length > 0)
    return [
      ...wrong.map(
        ([path]) => `An expression in ${path} must be the name of a connection: "{{ connections['name'] }}".`,
      ),
      ...unknown.map(([path]) => `The secret in ${path} is not known in this flow: write it again.`),
    ];
  // A connection gives all fields at once, and its value is not known here.
  if (typeof authFields === 'string' && !isMissing(authFields)) return [];
  const fields = isJsonObject(authFields) ? authFields : {};
  return [
    ...notTextProblems(authType, fields),
    ...('secrets' in propsOf(authType) ? secretsProblems(authType, fields) : []),
    ...('headerName' in propsOf(authType) ? nameProblems('authFields.headerName', fields['headerName']) : []),
    ...valueProblems(fields),
  ];
}

const propsOf = (authType: string) => AUTH_PROPS[authType as keyof typeof AUTH_PROPS] ?? {};

/** A number becomes text where other inputs and secrets are read, but not where the sender of a webhook is checked. */
const notTextProblems = (authType: string, fields: Input): string[] =>
  Object.entries(propsOf(authType))
    .filter(([name, prop]) => prop.kind === 'text' && !prop.isSecret && !isMissing(fields[name]))
    .filter(([name]) => typeof fields[name] !== 'string')
    .map(([name, { displayName }]) => `The input "${displayName}" (authFields.${name}) must be text.`);

/** A list of secrets may be a member of a connection. */
function secretsProblems(authType: string, { secrets, secret }: Input): string[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [];
  const given: [path: string, secret: unknown][] = list.map((each, at) => [`authFields.secrets[${at}]`, each]);
  if (!isMissing(secret)) given.push(['authFields.secret', secret]);
  if (given.length === 0 && !holdsExpression(secrets))
    return ['The input "Secrets" (authFields.secrets) needs a secret.'];
  const problems = given.flatMap(([path, each]) => secretProblems(authType, path, each));
  if (given.length <= MAX_WEBHOOK_SECRETS) return problems;
  return [...problems, `A webhook has at most ${MAX_WEBHOOK_SECRETS} secrets, and authFields has ${given.length}.`];
}

function secretProblems(authType: string, path: string, secret: unknown): string[] {
  if (isMissing(secret)) return [`The secret in ${path} is empty.`];
  if (typeof secret === 'number') return [];
  if (typeof secret !== 'string') return [`The secret in ${path} must be text.`];
  if (isKnownLater(secret)) return [];
  if (secret.trim() === '') return [`The secret in ${path} is empty.`];
  return authType === 'standard_webhooks' && !isStandardSecret(secret)
    ? [`The secret in ${path} must be base64 after "whsec_", as Standard Webhooks have it.`]
    : [];
}

/** What is around the value of a header is not part of it. */
function valueProblems({ username, headerValue, prefix }: Input): string[] {
  const problems: string[] = [];
  if (typeof username === 'string' && username.includes(':'))
    problems.push('The input "User name" (authFields.username) must not have a colon in it.');
  if (typeof headerValue === 'string' && !isMissing(headerValue) && !isKnownLater(headerValue))
    if (headerValue.trim() === '' || LINE_BREAK.test(headerValue))
      problems.push('The input "Header value" (authFields.headerValue) must be one line that is not blank.');
  if (typeof prefix === 'string' && !isKnownLater(prefix) && (prefix !== prefix.trimStart() || LINE_BREAK.test(prefix)))
    problems.push('The input "Prefix" (authFields.prefix) must not begin with a space or have a line break in it.');
  return problems;
}

const LINE_BREAK = /[\r\n]/;

/** A reference to a secret, or the name of a connection. */
const isKnownLater = (text: string): boolean => text.startsWith(REDACTED) || text.includes('{{');

function challengeProblems(echoChallenge: unknown): string[] {
  if (!isJsonObject(echoChallenge)) return [];
  if (holdsExpression(echoChallenge))
    return ['The input "Echoed challenge" (echoChallenge) cannot have an expression in it.'];
  const { in: place, name } = echoChallenge;
  if (!isMissing(name) && typeof name !== 'string') return ['The input "Name" (echoChallenge.name) must be text.'];
  if (place !== 'header' || typeof name !== 'string') return [];
  const problems = nameProblems('echoChallenge.name', name);
  if (problems.length > 0 || mayHandshakeSet(name)) return problems;
  return [`echoChallenge.name must not be ${name}: a sender must not decide on this header of an answer.`];
}

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

function nameProblems(input: string, name: unknown): string[] {
  if (typeof name !== 'string' || name.includes('{{')) return [];
  if (!OF_HTTP.includes(name.toLowerCase())) return headerNameProblems(input, name);
  return [`${input} must not be ${name}, which HTTP uses itself.`];
}

/** The texts in a value, each with its path. */
function textsIn(path: string, value: unknown): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(`${path}[${at}]`, item));
  return isJsonObject(value) ? Object.entries(value).flatMap(([name, inner]) => textsIn(`${path}.${name}`, inner)) : [];
}
