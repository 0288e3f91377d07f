import { LONGEST_UNCLAIMED_MS, type FlowRunStatus, type RunEnvironment, type TriggerKind } from '@millrace/domain';

export interface StoredRunHead {
  id: string;
  project_id: string;
  flow_id: string;
  flow_version_id: string;
  status: FlowRunStatus;
  environment: RunEnvironment;
  trigger_type: TriggerKind;
  epoch: number;
  is_leased: boolean;
  start_time: Date | null;
  test_step: string | null;
  /** As `timeUsedMs` of a run's head. */
  time_used_ms: number | null;
  worker_deaths: number;
  parent_run_id: string | null;
  depth: number;
  is_awaited: boolean;
}

export interface StoredRun extends StoredRunHead {
  payload: Buffer | null;
}

// The moment from which a run's time counts. It moves on while the run is paused or waits to be claimed after its
// pause.
export const countsFrom = (startTime: string): string => `
  coalesce(time_counts_from, ${startTime}) + greatest(now() - coalesce(paused_at, now()), interval '0')`;

/**
 * The moment from which the time of a run counts that is claimed or paused for the first time, by the start that its
 * worker tells (see `firstMoment`).
 */
export const countsFirstFrom = (told: string): string =>
  `least(now(), greatest(${told}, now() - interval '${LONGEST_UNCLAIMED_MS} milliseconds'))`;

const asItIs = (column: keyof StoredRun): [keyof StoredRun, string] => [column, column];

/**
 * The columns that are loaded to execute a run, with their SQL expressions. A lease that has lapsed counts as a lost
 * worker here already, before the next claim writes that into the row.
 */
export const LOADED_COLUMNS: readonly (readonly [name: keyof StoredRun, value: string])[] = [
  ...(
    ['id', 'project_id', 'flow_id', 'flow_version_id', 'status', 'environment', 'trigger_type', 'epoch'] as const
  ).map(asItIs),
  ...(['start_time', 'payload', 'test_step', 'parent_run_id', 'depth', 'is_awaited'] as const).map(asItIs),
  ['is_leased', 'coalesce(lease_until > now(), false)'],
  ['time_used_ms', `(extract(epoch from now() - (${countsFrom('start_time')})) * 1000)::float8`],
  ['worker_deaths', `worker_deaths + coalesce(lease_until < now() and status = 'RUNNING', false)::int`],
];
