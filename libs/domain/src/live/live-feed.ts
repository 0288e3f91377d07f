import type { FlowRunStatus } from '../run-status';
import type { ChangedFlow, ChangedRun, StepState } from './live-updates';

/** What other processes published at about the same time. */
export interface LiveChanges {
  /** Runs that changed and are watched themselves. */
  runIds: readonly string[];
  /** Runs that changed and whose project the publisher did not know; `status` as that of ChangedRun. */
  unplaced: readonly Omit<ChangedRun, 'projectId'>[];
  steps: readonly ChangedStep[];
  projects: readonly ProjectChanges[];
  flows: readonly ChangedFlow[];
}

export interface ChangedStep extends StepState {
  runId: string;
}

export type StatusCounts = Partial<Record<FlowRunStatus, number>>;

/** What became of the runs of a watched project. */
export interface ProjectChanges {
  projectId: string;
  /** How many runs took each status. */
  counts: StatusCounts;
  /** The newest runs that changed. */
  runIds: readonly string[];
}

/** Where a process that serves clients learns what other processes publish. */
export abstract class LiveFeed {
  /**
   * Watches a run or a project until `unwatch`. Resolves when all other processes have been told, rejects when they
   * cannot be told now.
   */
  abstract watch(id: string): Promise<void>;
  abstract unwatch(id: string): void;
  /** Calls the listener with what is published; with null when something may have been missed. */
  abstract listen(listener: (changes: LiveChanges | null) => void): void;
}
