import type { Run } from '../run-status/run-words';

/** Runs that began since the page was shown, and wait to be shown too. */
export interface Arrivals {
  count: number;
  /** More runs came than one answer holds, so that there may be more than `count`. */
  isAtLeast: boolean;
}

export const NO_ARRIVALS: Arrivals = { count: 0, isAtLeast: false };

/**
 * Returns the runs on the screen as they are now. None is added, none goes away and none moves, so that nothing moves
 * under the reader.
 */
export function refreshed(shown: readonly Run[], news: readonly Run[]): readonly Run[] {
  const newest = new Map<string, Run>(shown.map((run) => [run.id, run]));
  for (const run of news) {
    const known = newest.get(run.id);
    if (known && Date.parse(run.updated) >= Date.parse(known.updated)) newest.set(run.id, named(run, known));
  }
  return shown.map((run) => newest.get(run.id) ?? run);
}

/** Live updates do not name who started a run. */
const named = (run: Run, { triggeredByName }: Run): Run => ({ triggeredByName, ...run });

/** What was heard last of the runs on the screen. */
export function heardOf(shown: readonly Run[], before: readonly Run[], runs: readonly Run[]): readonly Run[] {
  const onScreen = new Set(shown.map(({ id }) => id));
  const news = new Map([...before, ...runs].filter(({ id }) => onScreen.has(id)).map((run) => [run.id, run]));
  return [...news.values()];
}

/** Counts the runs of the first page that came after those on the screen. */
export function arrivalsSince(shown: readonly Run[], firstPage: readonly Run[], hasOlder: boolean): Arrivals {
  const newest = shown[0];
  const arrived = newest ? firstPage.filter((run) => isAfter(run, newest)) : firstPage;
  const isAtLeast = arrived.length > 0 && arrived.length === firstPage.length && hasOlder;
  return { count: arrived.length, isAtLeast };
}

/** Ids of runs begin with the moment at which they were made, so they are in the order of time. */
const isAfter = (run: Run, other: Run): boolean => run.id > other.id;
