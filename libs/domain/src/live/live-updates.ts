import type { FlowRunStatus } from '../run-status';
import type { StepPath } from '../journal/step-path';
import type { StepResultStatus } from '../journal/step-record';
import type { FlowStatus } from '../flow-status';

// What a process publishes about runs and flows for the clients that watch them. It is no record: a message may be
// lost, and a step is published before its record is durable. A watcher reads the runs themselves now and then.

export interface ChangedRun {
  id: string;
  /** Null when the process that changed the run does not know its project. */
  projectId: string | null;
  /** The status that the run has taken; absent when something else of the run changed. */
  status?: FlowRunStatus;
}

/** The state of one execution of a step. A record of the step has these members. */
export interface StepState {
  path: StepPath;
  status: StepResultStatus;
  /** How long the step has executed, in milliseconds. */
  duration: number;
}

export interface ChangedFlow {
  id: string;
  projectId: string;
  change: 'created' | 'updated' | 'deleted';
  status: FlowStatus;
  publishedVersionId: string | null;
  updated: Date;
  /** The principal that made the change; absent when the flow was deleted. */
  updatedBy?: string;
}

/**
 * Publishes changes to the clients that watch them. A caller tests `isWatched` first: while nobody watches anything,
 * this test is all that a change costs. The methods ignore what nobody watches. They return at once and never throw.
 */
export abstract class LiveUpdates {
  abstract readonly isWatched: boolean;
  abstract runChanged(run: ChangedRun): void;
  abstract stepChanged(runId: string, step: StepState): void;
  abstract flowChanged(flow: ChangedFlow): void;
  /** Calls the listener with the runs and projects that nobody watched until now. */
  abstract whenWatched(listener: (ids: readonly string[]) => void): void;
}

const nothing = (): void => undefined;

/** For a process whose changes nobody can watch, as in tests and simulations. */
export const NOBODY_WATCHES: LiveUpdates = {
  isWatched: false,
  runChanged: nothing,
  stepChanged: nothing,
  flowChanged: nothing,
  whenWatched: nothing,
};
