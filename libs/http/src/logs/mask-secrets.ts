const MASK = '***';

/** Patterns of secrets, with their replacements. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, `sk-${MASK}`],
  // Refresh tokens and the tokens of invitations.
  [/\b(rt|inv)-[A-Za-z0-9_-]{20,}/g, `$1-${MASK}`],
  [/\bwhsec_[A-Za-z0-9+/=_-]{8,}/g, `whsec_${MASK}`],
  [/\b(Bearer|Basic)\s+[^\s,"']+/gi, `$1 ${MASK}`],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.?[A-Za-z0-9_-]*/g, MASK],
  // A password may contain `@`: the last one before the path ends it.
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/"']+@/gi, `$1:${MASK}@`],
  [/((?:password|secret|token|api[-_]?key|authorization|cookie)["']?\s*[:=]\s*["']?)[^\s"',}&]+/gi, `$1${MASK}`],
];

/** Replaces everything in the text that looks like a credential by `***`. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const [shape, replacement] of SECRETS) masked = masked.replace(shape, replacement);
  return masked;
}
