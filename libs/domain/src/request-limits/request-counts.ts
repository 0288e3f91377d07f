/** The minute of a request, counted since 1970. All processes agree on it as far as their clocks do. */
export const minuteOf = (now: Date): number => Math.floor(now.getTime() / 60_000);

/** Counts requests of one minute by name, across all processes. */
export abstract class RequestCounts {
  /** Adds to the counts of the minute, and resolves with the counts of all processes by name. */
  abstract add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}
