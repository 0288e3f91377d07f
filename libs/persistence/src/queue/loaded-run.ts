import type { FlowRunStatus, RunEnvironment, TriggerKind } from '@millrace/domain';

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
  time_counts_from: Date | null;
  worker_deaths: number;
  parent_run_id: string | null;
  depth: number;
  is_awaited: boolean;
}

export interface StoredRun extends StoredRunHead {
  payload: Buffer | null;
}

// What nobody has claimed since it was paused has not gone on yet: its time does not count.
export const countsFrom = (startTime: string): string => `
  coalesce(time_counts_from, ${startTime}) + greatest(now() - coalesce(paused_at, now()), interval '0')`;

const asItIs = (column: keyof StoredRun): [keyof StoredRun, string] => [column, column];

/**
 * What is loaded of a run to execute it, and how it is computed. A lease that has lapsed is a worker that was lost, also
 * before the next claim counts it.
 */
export const LOADED_COLUMNS: readonly (readonly [name: keyof StoredRun, value: string])[] = [
  ...(
    ['id', 'project_id', 'flow_id', 'flow_version_id', 'status', 'environment', 'trigger_type', 'epoch'] as const
  ).map(asItIs),
  ...(['start_time', 'payload', 'test_step', 'parent_run_id', 'depth', 'is_awaited'] as const).map(asItIs),
  ['is_leased', 'coalesce(lease_until > now(), false)'],
  ['time_counts_from', countsFrom('start_time')],
  ['worker_deaths', `worker_deaths + coalesce(lease_until < now() and status = 'RUNNING', false)::int`],
];
