import type { ExecuteFlowJob, JobKind } from '@millrace/domain';
import type { Queue } from 'bullmq';

// This file must not load BullMQ: the api loads it with the first run.

/** The `data` of a job, as a processor of RUN_QUEUE receives it. */
export interface RunJobData {
  runs: readonly ExecuteFlowJob[];
}

export type RunQueue = Queue<RunJobData, void, JobKind>;

/** The token of the one RunQueue of a process. */
export const BULLMQ_QUEUE = Symbol('RunQueue');
