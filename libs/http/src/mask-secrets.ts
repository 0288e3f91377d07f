const MASK = '***';

/** Shapes that are secrets wherever they stand in a text. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, `sk-${MASK}`],
  [/\b(Bearer|Basic)\s+[^\s,"']+/gi, `$1 ${MASK}`],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.?[A-Za-z0-9_-]*/g, MASK],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@/]+@/gi, `$1:${MASK}@`],
  [/((?:password|secret|token|api[-_]?key|authorization|cookie)["']?\s*[:=]\s*["']?)[^\s"',}&]+/gi, `$1${MASK}`],
];

/** The text with everything in it that looks like a credential replaced by `***`. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const [shape, replacement] of SECRETS) masked = masked.replace(shape, replacement);
  return masked;
}
