const MASK = '***';
const SECRET_NAME = 'password|secret|token|api[-_]?key|authorization|cookie';

/** A part of the text that every text with a credential has. Most texts have none, and are only searched for this. */
const HINT = new RegExp(`sk-|rt-|inv-|whsec_|bearer|basic|eyJ|://|${SECRET_NAME}`, 'i');

/** Patterns of secrets, with their replacements. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, `sk-${MASK}`],
  // Refresh tokens and the tokens of invitations.
  [/\b(rt|inv)-[A-Za-z0-9_-]{20,}/g, `$1-${MASK}`],
  [/\bwhsec_[A-Za-z0-9+/=_-]{8,}/g, `whsec_${MASK}`],
  [/\b(Bearer|Basic)\s+[^\s,"'\\]+/gi, `$1 ${MASK}`],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.?[A-Za-z0-9_-]*/g, MASK],
  // A password may contain `@`: the last one before the path ends it.
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]*):[^\s/"']+@/gi, `$1:${MASK}@`],
  // In quotes a value ends at the same quote, which JSON within JSON writes as `\"`. Without quotes it is one word.
  [
    new RegExp(
      `((?:${SECRET_NAME})\\\\*["']?\\s*[:=]\\s*)(?:(\\\\*["'])(?:(?!\\2)(?:\\\\.|.))+|[^\\s"',}&\\\\]+)`,
      'gi',
    ),
    `$1$2${MASK}`,
  ],
];

/** A field with such a name holds a secret, whatever it looks like. */
const SECRET_FIELD = new RegExp(`(?:${SECRET_NAME})$`, 'i');
const MOST_DEPTH = 10;

/** Replaces everything in the text that looks like a credential by `***`. */
export function maskSecrets(text: string): string {
  if (!HINT.test(text)) return text;
  let masked = text;
  for (const [shape, replacement] of SECRETS) masked = masked.replace(shape, replacement);
  return masked;
}

/**
 * Returns a copy of the fields as JSON can hold them: each text is masked, and so is the whole value of a field whose
 * name says that it is a secret. Never throws, because it runs where an error is reported.
 */
export function maskFields(fields: object): Record<string, unknown> {
  try {
    return maskedMembers(fields, 0);
  } catch (error) {
    return { unreadable: `The fields of this line cannot be read: ${maskSecrets(String(error))}` };
  }
}

const maskedMembers = (fields: object, depth: number): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, maskedMember(name, value, depth)]));

function maskedMember(name: string, value: unknown, depth: number): unknown {
  const hasContent = value !== null && value !== undefined && typeof value !== 'boolean';
  return hasContent && SECRET_FIELD.test(name) ? MASK : maskedValue(value, depth);
}

function maskedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  // This also ends a circle.
  if (depth >= MOST_DEPTH) return '(deeper than a line of the log goes)';
  if (value instanceof Error) return maskSecrets(value.stack ?? String(value));
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, depth + 1));
  if (hasJson(value)) return maskedValue(value.toJSON(), depth + 1);
  return maskedMembers(value, depth + 1);
}

const hasJson = (value: object): value is { toJSON: () => unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';
