import { Durations, METRICS, type Metric, type Reading, type Sample } from '@millrace/domain';
import type { LoggerService } from '@nestjs/common';
import type { Counter, Gauge, Registry } from 'prom-client';

/** A metric with all that is read for it. */
export interface ReportedMetric {
  metric: Metric;
  readings: (() => Reading | Promise<Reading>)[];
}

/** A line of the text format: a sample, whose name differs from that of its metric in a histogram. */
interface Line {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

/** A store that does not answer must not take the other metrics along: Prometheus waits 10 s for the page. */
const READING_DEADLINE_MS = 3_000;

/** Gauges of prom-client that are named as counters, which Prometheus's own check refuses. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

/** The CPU time of the process from its start. prom-client counts it from the moment at which it is loaded. */
const CPU_SECONDS: Record<string, (usage: NodeJS.CpuUsage) => number> = {
  process_cpu_user_seconds_total: ({ user }) => user / 1e6,
  process_cpu_system_seconds_total: ({ system }) => system / 1e6,
  process_cpu_seconds_total: ({ user, system }) => (user + system) / 1e6,
};

/** The delays of the event loop that prom-client writes as `Nan` when nothing was measured since the last answer. */
const UNMEASURED = /^nodejs_\w+ Nan\n/gm;

/**
 * Writes metrics in Prometheus's text format: those that are reported, and prom-client's own of the process, its memory,
 * its garbage collection and its event loop.
 */
export class MetricsText {
  private failed = 0;
  /** The metrics whose last reading failed. The log has the reason of the first failure only. */
  private readonly failing = new Set<string>();

  private constructor(
    private readonly registry: Registry,
    private readonly logger: Pick<LoggerService, 'warn'>,
  ) {}

  /** Loads prom-client. The event loop and the garbage collection are watched from now on. */
  static async of(reported: Iterable<ReportedMetric>, logger: Pick<LoggerService, 'warn'>): Promise<MetricsText> {
    const client = await import('prom-client');
    const registry = new client.Registry();
    client.collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
    countCpuFromStart(registry);
    const text = new MetricsText(registry, logger);
    for (const each of [...reported, text.ownFailures()]) text.add(each);
    return text;
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async write(): Promise<string> {
    return (await this.registry.metrics()).replace(UNMEASURED, '');
  }

  /** prom-client writes what `get` returns. Its own classes would take a call for each number that is counted. */
  private add({ metric, readings }: ReportedMetric): void {
    const { name, help, type } = metric;
    const aggregator = type === 'gauge' ? 'omit' : 'sum';
    const get = async () => ({ name, help, type, aggregator, values: await this.linesOf(metric, readings) });
    this.registry.registerMetric({ name, help, type, get } as unknown as Gauge);
  }

  private async linesOf({ name }: Metric, readings: ReportedMetric['readings']): Promise<Line[]> {
    try {
      const read = await Promise.all(readings.map((each) => inTime(each)));
      this.failing.delete(name);
      return linesOf(name, read);
    } catch (error) {
      this.failed++;
      if (!this.failing.has(name))
        this.logger.warn({ msg: 'A metric cannot be read and is left out.', metric: name }, error, 'Metrics');
      this.failing.add(name);
      return [];
    }
  }

  /** Counts failed readings. A reading that fails later than this one is read is counted in the next answer. */
  private ownFailures(): ReportedMetric {
    return { metric: METRICS.readingsFailed, readings: [() => this.failed] };
  }
}

function countCpuFromStart(registry: Registry): void {
  for (const [name, secondsOf] of Object.entries(CPU_SECONDS)) {
    const counter = registry.getSingleMetric(name) as Counter;
    const counted = counter.get.bind(counter);
    counter.get = async () => ({
      ...(await counted()),
      values: [{ labels: {}, value: secondsOf(process.cpuUsage()) }],
    });
  }
}

/** Rejects when the reading takes longer than the deadline. */
async function inTime(read: () => Reading | Promise<Reading>): Promise<Reading> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`There was no reading within ${READING_DEADLINE_MS} ms.`)),
      READING_DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([read(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function linesOf(name: string, readings: readonly Reading[]): Line[] {
  const durations = readings.filter((each) => each instanceof Durations);
  const samples = readings.flatMap((each): readonly Sample[] =>
    typeof each === 'number' ? [{ labels: {}, value: each }] : each instanceof Durations ? [] : each,
  );
  return [...durations.flatMap((each) => linesOfDurations(name, each)), ...added(samples)];
}

/** Adds the samples with the same labels. */
function added(samples: readonly Sample[]): Sample[] {
  const byLabels = new Map<string, Sample>();
  for (const { labels, value } of samples) {
    const key = JSON.stringify(labels);
    byLabels.set(key, { labels, value: value + (byLabels.get(key)?.value ?? 0) });
  }
  return [...byLabels.values()];
}

const linesOfDurations = (name: string, durations: Durations): Line[] => [
  ...durations.atMost().map(({ bound, count }) => ({
    metricName: `${name}_bucket`,
    labels: { le: bound === Infinity ? '+Inf' : bound },
    value: count,
  })),
  { metricName: `${name}_sum`, labels: {}, value: durations.sum },
  { metricName: `${name}_count`, labels: {}, value: durations.count },
];
