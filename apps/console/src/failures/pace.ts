export const MOST_PER_SECOND = 100;
export const MOST_FAILURES = 1_000;

/** How fast runs are retried, and how many failures end it; absent when none do. */
export interface Pace {
  ratePerSecond: number;
  stopAfterFailures?: number;
}

/** The pace that the texts of two fields say; null when one of them is no number that can be. */
export function paceOf(perSecond: string, failures: string): Pace | null {
  const ratePerSecond = wholeNumber(perSecond, MOST_PER_SECOND);
  if (ratePerSecond === null) return null;
  if (failures.trim() === '') return { ratePerSecond };
  const stopAfterFailures = wholeNumber(failures, MOST_FAILURES);
  return stopAfterFailures === null ? null : { ratePerSecond, stopAfterFailures };
}

function wholeNumber(text: string, most: number): number | null {
  const number = /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : null;
}
