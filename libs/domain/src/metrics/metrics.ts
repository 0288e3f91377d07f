import type { Durations } from './durations';
import type { Metric } from './metric';

/** One number with the values of the labels of its metric. */
export interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** What a metric says now: a number, a number for each combination of labels, or durations. */
export type Reading = number | readonly Sample[] | Durations;

// What this process tells those who operate it.
//
// M1. The parts of the process count in plain numbers. Each says here, when it is made, how its numbers are read.
// M2. Nothing is read before somebody asks. A process that nobody asks pays for the counting alone.
// M3. No label holds the id of a project, a flow or a run: there would be no bound on the number of series.
export abstract class Metrics {
  /**
   * Names how the metric is read. When several parts of the process report the same metric, their readings are added.
   * A reading that rejects leaves its metric out of the answer.
   */
  abstract report(metric: Metric, read: () => Reading | Promise<Reading>): void;
}

/** Makes the readings of a metric with one label. */
export const byLabel = (label: string, entries: Iterable<readonly [string, number]>): Sample[] =>
  [...entries].map(([name, value]) => ({ labels: { [label]: name }, value }));
