import { isJsonObject, type JsonObject } from '../json/json-reader';
import { openFields, type SecretSources } from './auth-fields';
import { readEchoedChallenge, type EchoedChallenge } from './challenges';
import {
  HMAC_ALGORITHMS,
  HMAC_ENCODINGS,
  MAX_WEBHOOK_SECRETS,
  WEBHOOK_AUTH_TYPES,
  type SenderCheck,
  type WebhookAuthType,
} from './sender-check';

/** What the gateway does with a request before it starts a run. */
export interface WebhookCheck {
  /** Null when anybody may start the flow. */
  sender: SenderCheck | null;
  challenge: EchoedChallenge | null;
}

/**
 * Reads the check from the input of a webhook trigger. Null when there is nothing to check. Settings that cannot be
 * read let no request pass: the draft of a flow may be incomplete.
 */
export function webhookCheck(input: unknown, sources: SecretSources): WebhookCheck | null {
  if (!isJsonObject(input)) return null;
  const sender = senderCheck(input, sources);
  const challenge = readEchoedChallenge(input['echoChallenge']);
  return sender === null && challenge === null ? null : { sender, challenge };
}

const NOTHING: SenderCheck = { authType: 'nothing' };

function senderCheck(input: JsonObject, sources: SecretSources): SenderCheck | null {
  const authType = WEBHOOK_AUTH_TYPES.find((type) => type === (input['authType'] || 'none'));
  if (authType === 'none') return null;
  const opened = openFields(input['authFields'], sources);
  const fields = typeof opened === 'string' ? { secret: opened } : opened;
  if (authType === undefined || !isJsonObject(fields)) return NOTHING;
  return checkOf(authType, fields) ?? NOTHING;
}

function checkOf(authType: Exclude<WebhookAuthType, 'none'>, fields: JsonObject): SenderCheck | null {
  switch (authType) {
    case 'basic': {
      const [username, password] = [textOf(fields['username']), textOf(fields['password'])];
      return username && password ? { authType, username, password } : null;
    }
    case 'header': {
      const [headerName, headerValue] = [headerNameOf(fields), textOf(fields['headerValue']).trim()];
      return headerName && headerValue ? { authType, headerName, headerValue } : null;
    }
    case 'hmac':
      return hmacCheck(fields);
    default: {
      const secrets = secretsOf(fields);
      return secrets.length > 0 ? { authType, secrets } : null;
    }
  }
}

function hmacCheck(fields: JsonObject): SenderCheck | null {
  const [headerName, secrets] = [headerNameOf(fields), secretsOf(fields)];
  const algorithm = HMAC_ALGORITHMS.find((each) => each === (fields['algorithm'] || 'sha256'));
  const encoding = HMAC_ENCODINGS.find((each) => each === (fields['encoding'] || 'hex'));
  if (!headerName || secrets.length === 0 || !algorithm || !encoding) return null;
  return { authType: 'hmac', secrets, headerName, algorithm, encoding, prefix: textOf(fields['prefix']) };
}

const headerNameOf = (fields: JsonObject): string => textOf(fields['headerName']).trim().toLowerCase();

/** A single `secret` counts as a list of one. */
function secretsOf({ secrets, secret }: JsonObject): string[] {
  const list: unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  const all = [...list, secret].map(textOf).filter(Boolean);
  return all.slice(0, MAX_WEBHOOK_SECRETS);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
