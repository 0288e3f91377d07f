import { byLabel, Durations, METRICS, Tally } from '@millrace/domain';
import { AppMetrics } from './app-metrics';

/** A logger for tests in which it is not looked at. */
const silent = { warn: () => undefined };

const linesAbout = (text: string, name: string): string[] => text.split('\n').filter((line) => line.includes(name));

describe('AppMetrics', () => {
  it('refuses a second histogram of one metric, which would write each of its series twice', () => {
    const metrics = new AppMetrics();
    metrics.report(METRICS.runClaim, () => new Durations([1]));

    expect(() => metrics.report(METRICS.runClaim, () => new Durations([1]))).toThrow(
      'millrace_run_claim_seconds is reported by two parts of this process.',
    );
  });

  it('writes numbers, numbers by label and durations as Prometheus reads them', async () => {
    const metrics = new AppMetrics();
    const claims = new Durations([0.1, 2.5]);
    const ended = new Tally<'SUCCEEDED' | 'FAILED'>(['SUCCEEDED']);
    metrics.report(METRICS.leader, () => 1);
    metrics.report(METRICS.runsEnded, () => byLabel('status', ended.entries()));
    metrics.report(METRICS.runClaim, () => claims);

    claims.add(0.02);
    claims.add(3);
    ended.add('FAILED', 2);
    const { text, contentType } = await metrics.write();

    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(linesAbout(text, 'millrace_leader')).toEqual([
      '# HELP millrace_leader 1 in the process that performs the periodic duties.',
      '# TYPE millrace_leader gauge',
      'millrace_leader 1',
    ]);
    expect(linesAbout(text, 'millrace_runs_ended_total').slice(1)).toEqual([
      '# TYPE millrace_runs_ended_total counter',
      'millrace_runs_ended_total{status="SUCCEEDED"} 0',
      'millrace_runs_ended_total{status="FAILED"} 2',
    ]);
    expect(linesAbout(text, 'millrace_run_claim_seconds').slice(1)).toEqual([
      '# TYPE millrace_run_claim_seconds histogram',
      'millrace_run_claim_seconds_bucket{le="0.1"} 1',
      'millrace_run_claim_seconds_bucket{le="2.5"} 1',
      'millrace_run_claim_seconds_bucket{le="+Inf"} 2',
      'millrace_run_claim_seconds_sum 3.02',
      'millrace_run_claim_seconds_count 2',
    ]);
  });

  it('adds what several parts of the process report', async () => {
    const metrics = new AppMetrics();
    metrics.report(METRICS.connections, () => [{ labels: { pool: 'hot', state: 'idle' }, value: 2 }]);
    metrics.report(METRICS.connections, () => [
      { labels: { pool: 'hot', state: 'idle' }, value: 1 },
      { labels: { pool: 'editing', state: 'idle' }, value: 5 },
    ]);

    const { text } = await metrics.write();

    expect(linesAbout(text, 'millrace_database_connections{')).toEqual([
      'millrace_database_connections{pool="hot",state="idle"} 3',
      'millrace_database_connections{pool="editing",state="idle"} 5',
    ]);
  });

  it('leaves out a metric that cannot be read, counts that, and writes the others', async () => {
    const metrics = new AppMetrics(silent);
    metrics.report(METRICS.runsWaiting, () => Promise.reject(new Error('The database is away.')));
    metrics.report(METRICS.leader, () => 0);

    await metrics.write();
    const { text } = await metrics.write();

    expect(text).not.toMatch(/^millrace_runs_waiting /m);
    expect(text).toContain('millrace_leader 0');
    expect(text).toMatch(/^millrace_metrics_failed_total [12]$/m);
  });

  it('says why a metric cannot be read, once until it could be read again', async () => {
    const warn = jest.fn();
    const metrics = new AppMetrics({ warn });
    const away = new Error('The database is away.');
    const read = jest.fn<Promise<number>, []>().mockRejectedValue(away);
    metrics.report(METRICS.runsWaiting, read);

    await metrics.write();
    await metrics.write();
    const line = [
      { msg: 'A metric cannot be read and is left out.', metric: 'millrace_runs_waiting' },
      away,
      'Metrics',
    ];
    expect(warn.mock.calls).toEqual([line]);

    read.mockResolvedValueOnce(1);
    await metrics.write();
    await metrics.write();
    expect(warn.mock.calls).toEqual([line, line]);
  });

  it('leaves out a metric whose store does not answer', async () => {
    const metrics = new AppMetrics(silent);
    metrics.report(METRICS.queueJobs, () => new Promise<never>(() => undefined));
    metrics.report(METRICS.leader, () => 1);

    expect((await metrics.write()).text).toContain('millrace_leader 1');
  });

  it('tells of the process, its memory and the delay of its event loop', async () => {
    const { text } = await new AppMetrics().write();

    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(text).toMatch(new RegExp(`^${name} [0-9.e-]+$`, 'm'));
  });

  it('counts the CPU time from the start of the process, not from the first answer', async () => {
    const before = process.cpuUsage();

    const { text } = await new AppMetrics().write();

    const written = /^process_cpu_seconds_total ([0-9.e-]+)$/m.exec(text)?.[1];
    expect(Number(written)).toBeGreaterThanOrEqual((before.user + before.system) / 1e6);
  });

  it('leaves out a delay of the event loop that was not measured since the last answer', async () => {
    const metrics = new AppMetrics();

    await metrics.write();
    const { text } = await metrics.write();

    expect(text).not.toMatch(/ nan$/im);
  });
});
