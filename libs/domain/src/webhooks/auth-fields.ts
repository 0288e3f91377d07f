import { connectionsNamedIn } from '../flows/flow-references';
import { takesWebhooks, type TriggeredFlow } from '../flows/flow-version.reader';
import { referredSecret, referredSecrets } from '../flows/trigger-secrets';
import { textParts } from '../flows/step-references';
import { isJsonObject } from '../json/json-reader';
import { resolveConnections, triggerExpressionProblems } from '../flows/trigger-input';
import { REDACTED } from '../connections/secrets';

// Reads the secrets of a webhook's check, which its settings only name: the secrets of the trigger by references, those
// of connections by an expression that is nothing but the connection or one member of its value.

/** What the settings name, by their names. */
export interface SecretSources {
  secrets: ReadonlyMap<string, string>;
  /** What expressions read of the connections. */
  connections: ReadonlyMap<string, unknown>;
}

/** Whether a text is an expression, and nothing else, that reads a connection. No other one can be used here. */
export const namesConnection = (text: string): boolean =>
  isOneExpression(text) && triggerExpressionProblems({ text }).length === 0;

/** The names of all secrets and connections that have to be found before `openFields`. */
export const namedIn = (authFields: unknown): { secretIds: string[]; connectionIds: string[] } => ({
  secretIds: [...referredSecrets(authFields)],
  connectionIds: [...connectionsNamedIn(authFields)],
});

/** The external ids of the connections by which the gateway checks who sends webhooks to a flow with this trigger. */
export const connectionsOfWebhook = (trigger: Pick<TriggeredFlow, 'triggerPiece' | 'triggerInput'>): string[] =>
  takesWebhooks(trigger) ? namedIn(trigger.triggerInput).connectionIds : [];

/** The fields with their secrets in clear. What cannot be found becomes null, and so never serves as a secret. */
export function openFields(authFields: unknown, sources: SecretSources): unknown {
  if (typeof authFields === 'string') return openText(authFields, sources);
  if (Array.isArray(authFields)) return authFields.map((item) => openFields(item, sources));
  if (!isJsonObject(authFields)) return authFields;
  return Object.fromEntries(Object.entries(authFields).map(([name, value]) => [name, openFields(value, sources)]));
}

function openText(text: string, { secrets, connections }: SecretSources): unknown {
  const secretId = referredSecret(text);
  if (secretId !== null) return secrets.get(secretId) ?? null;
  if (!text.includes('{{')) return text.startsWith(REDACTED) ? null : text;
  if (!namesConnection(text)) return null;
  return resolveConnections({ text }, connections)['text'];
}

/** Text around an expression would remain, as a secret that others can guess, when there is no such connection. */
function isOneExpression(text: string): boolean {
  const parts = textParts(text).filter((part) => part.isExpression || part.text !== '');
  return parts.length === 1 && parts[0]?.isExpression === true;
}
