import { Metrics, type Metric, type Reading } from '@millrace/domain';
import { Logger, type LoggerService } from '@nestjs/common';
import { MetricsText, type ReportedMetric } from './metrics-text';

/** The metrics of this process. prom-client is loaded when they are asked for first. */
export class AppMetrics extends Metrics {
  private readonly reported = new Map<string, ReportedMetric>();
  private text: Promise<MetricsText> | null = null;

  /** The logger is told why a metric cannot be read. */
  constructor(private readonly logger: Pick<LoggerService, 'warn'> = new Logger()) {
    super();
  }

  override report(metric: Metric, read: () => Reading | Promise<Reading>): void {
    const known = this.reported.get(metric.name);
    // Numbers of several parts are added. Histograms cannot be: each would write the same series.
    if (known && metric.type === 'histogram')
      throw new Error(`${metric.name} is reported by two parts of this process.`);
    if (known) known.readings.push(read);
    else this.reported.set(metric.name, { metric, readings: [read] });
  }

  /** The metrics that some part of this process reports. */
  get all(): Metric[] {
    return [...this.reported.values()].map(({ metric }) => metric);
  }

  /** All metrics in Prometheus's text format. */
  async write(): Promise<{ contentType: string; text: string }> {
    const text = await (this.text ??= MetricsText.of(this.reported.values(), this.logger));
    return { contentType: text.contentType, text: await text.write() };
  }
}
