import type { StepResultStatus, StepResultType } from '../journal/step-record';
import { byLabel, type Metrics, type Sample } from '../metrics/metrics';
import { Durations } from '../metrics/durations';
import { METRICS } from '../metrics/metric-catalogue';
import { Tally } from '../metrics/tally';
import type { FlowRunStatus } from '../run-status';

const ENDINGS: readonly FlowRunStatus[] = ['SUCCEEDED', 'FAILED', 'STOPPED', 'TIMEOUT', 'INTERNAL_ERROR'];

/** What became of the runs that this process had in hand. The parts that a run passes add to these plain numbers. */
export class RunMeters {
  /** From the acceptance of a run until a worker begins it. */
  readonly claim = new Durations([0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300]);
  readonly duration = new Durations([0.01, 0.05, 0.25, 1, 5, 10, 60, 300, 600, 3_600, 86_400]);
  readonly ended = new Tally<FlowRunStatus>(ENDINGS);
  readonly steps: Readonly<Record<StepResultType, Tally<StepResultStatus>>> = {
    ACTION: new Tally(),
    CODE: new Tally(),
    LOOP_ON_ITEMS: new Tally(),
    ROUTER: new Tally(),
  };
  leasesLost = 0;
  attemptsFailed = 0;

  /** Reports what every process counts that may end runs. */
  reportEndings(metrics: Metrics): void {
    metrics.report(METRICS.runsEnded, () => byLabel('status', this.ended.entries()));
  }

  /** Reports what only a process counts that executes runs. */
  reportExecution(metrics: Metrics): void {
    metrics.report(METRICS.runClaim, () => this.claim);
    metrics.report(METRICS.runDuration, () => this.duration);
    metrics.report(METRICS.steps, () => this.stepSamples());
    metrics.report(METRICS.leasesLost, () => this.leasesLost);
    metrics.report(METRICS.attemptsFailed, () => this.attemptsFailed);
  }

  private stepSamples(): Sample[] {
    return Object.entries(this.steps).flatMap(([type, byStatus]) =>
      byStatus.entries().map(([status, value]) => ({ labels: { type, status }, value })),
    );
  }
}
