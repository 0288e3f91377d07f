import type { NewRun } from '../../runs/run-intake';
import type { Schedule } from '../trigger-plan';

/** The schedule of an enabled flow. */
export interface FlowSchedule {
  flowId: string;
  projectId: string;
  flowVersionId: string;
  schedule: Schedule;
}

/** The most runs that one backfill starts. */
export const MAX_BACKFILLED_RUNS = 1_000;

/** Starts the runs of schedules. An instant of a flow has at most one run, whoever starts it and however often. */
export abstract class ScheduledRuns {
  /**
   * Starts the runs of at most `limit` schedules that are due, and moves each schedule to its next instant in the same
   * transaction. Resolves with the number of schedules that were moved. A schedule that cannot be read, or whose project
   * has no room for runs, shows that as its failure, keeps its instant, and is tried again later.
   */
  abstract startDue(limit: number): Promise<number>;
  /** The schedule of a flow; null when the flow is not enabled or its trigger is not a schedule. */
  abstract find(flowId: string): Promise<FlowSchedule | null>;
  /** The first instants from `from` to `to` that have no run, at most MAX_BACKFILLED_RUNS. */
  abstract missing(flow: FlowSchedule, from: Date, to: Date): Promise<Date[]>;
  /** Starts a run for each of the instants that has none, behind all other work. Resolves with the number of runs. */
  abstract startAt(flow: FlowSchedule, instants: readonly Date[]): Promise<number>;
}

/** The run for an instant of a schedule. */
export const runAt = ({ schedule, ...flow }: FlowSchedule, instant: Date, id: string): NewRun => ({
  ...flow,
  id,
  environment: 'PRODUCTION',
  triggeredBy: 'schedule',
  triggerType: 'SCHEDULE',
  idempotencyKey: null,
  payload: JSON.stringify({
    scheduledFor: instant.toISOString(),
    cronExpression: schedule.cron,
    timezone: schedule.timezone,
  }),
});
