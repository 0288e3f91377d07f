import { byLabel, METRICS, Tally, type Metric, type Metrics } from '@millrace/domain';

/** Routes whose error answers are also counted by a metric of their own. */
export interface CountedApart {
  metric: Metric;
  routes: ReadonlySet<string>;
}

/**
 * Counts the error answers of this process by their code, for the metrics and the log. Whoever answers with an error
 * without the filter of the app adds it here.
 */
export class RefusedAnswers {
  private readonly all = new Tally<string>();
  /** A rate sees only increases of what was there before: these are the codes that an alert is about. */
  private readonly ofRoutes = new Tally<string>(['SERVICE_UNAVAILABLE', 'RATE_LIMITED']);

  constructor(private readonly apart?: CountedApart) {}

  reportTo(metrics: Metrics): void {
    metrics.report(METRICS.answersRefused, () => byLabel('code', this.all.entries()));
    if (this.apart) metrics.report(this.apart.metric, () => byLabel('code', this.ofRoutes.entries()));
  }

  /** The route is its pattern, as it was registered; undefined when the request has none. */
  add(code: string, route?: string): void {
    this.all.add(code);
    if (route !== undefined && this.apart?.routes.has(route)) this.ofRoutes.add(code);
  }

  entries(): [string, number][] {
    return this.all.entries();
  }
}
