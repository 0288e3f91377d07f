import { createHash } from 'node:crypto';
import type { FailedStep } from './flow-run';

/** Only the beginning is compared: longer messages often end with a body that was sent or received. */
const COMPARED_LENGTH = 1_000;
const FINGERPRINT_LENGTH = 12;

/** The parts of a message that differ between runs with the same failure. The order matters: a URL contains numbers. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>]+/gi, '<url>'],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, '<mail>'],
  [/"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|(?<!\w)'[^'\n]*'(?!\w)/g, '<text>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/g, '<time>'],
  [/(?:\b[A-Za-z]:)?(?:[\\/][\w.@~-]+){2,}[\\/]?/g, '<path>'],
  [/\b0x[0-9a-f]+\b|\b(?=\w*\d)\w{8,}\b/gi, '<id>'],
  [/\d+(?:[.,]\d+)*/g, '<number>'],
  [/\s+/g, ' '],
];

/** Equal for two messages that differ only in numbers, ids, times, addresses, paths and quoted texts. */
export function errorFingerprint(message: string): string {
  const shape = PLACEHOLDERS.reduce(
    (text, [pattern, placeholder]) => text.replace(pattern, placeholder),
    message.slice(0, COMPARED_LENGTH),
  ).trim();
  return createHash('sha256').update(shape).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/** The failed step as the row of its run stores it. Failures are grouped by the fingerprint. */
export const withFingerprint = (step: FailedStep): FailedStep & { fingerprint: string } => ({
  ...step,
  fingerprint: errorFingerprint(step.message),
});
