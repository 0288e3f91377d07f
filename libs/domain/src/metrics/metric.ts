export type MetricApp = 'api' | 'webhook-gateway' | 'worker';

/** A metric by its name at Prometheus, whose conventions it follows: base units, `_total` for counters. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence for an operator. */
  readonly help: string;
  readonly labels: readonly string[];
  /** The apps that export it. */
  readonly apps: readonly MetricApp[];
  /** Only the process that holds the leader lease exports it, because it describes the whole installation. */
  readonly onlyLeader?: true;
}
