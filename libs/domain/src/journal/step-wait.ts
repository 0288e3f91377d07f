import type { FinalRunStatus } from '../run-status';
import type { NewChildRun } from './new-child-run';
import type { RunResponse } from './step-effects';

// What a run waits for while it is PAUSED. Purpose: the words that pieces, engine, journal and api share about waits.
//
// W1. A wait is a row (`run_request`) before the run lets go of its worker; it has a deadline there.
// W2. It ends exactly once, by time, by a person, or by the ending of a child; the ending is in the row.
// W3. A run with an ended wait is RUNNING, and its next worker gives the ending to the step that waited.

/** The header of a flow's answer that names the URL at which its waiting run goes on. */
export const RESUME_URL_HEADER = 'x-millrace-resume-url';

export type WaitKind = 'timer' | 'human' | 'child';

export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'number' | 'boolean' | 'date' | 'select';
  required: boolean;
  /** For `select`. */
  options?: readonly string[];
}

/** What is asked of whoever has the request's link. */
export type HumanRequest =
  | { kind: 'approval' }
  | { kind: 'form'; fields: readonly FormField[] }
  /** Any request to the link: its body, headers and query parameters are the answer. */
  | { kind: 'webhook' };

/** How a wait ended. A person's answer is the waiting step's output as it is. */
export type WaitEnding =
  /** ISO 8601. */
  | { kind: 'timer'; resumedAt: string }
  | { kind: 'human'; answer: unknown }
  /** Nobody answered until the moment named. */
  | { kind: 'unanswered' }
  | {
      kind: 'child';
      runId: string;
      status: FinalRunStatus;
      response: RunResponse | null;
      /** The message of its failed step, or its status reason. Absent when it succeeded. */
      message?: string;
    };

/** A wait as its step's record tells of it. Moments are ISO 8601. */
export interface StepWait {
  /** 128 bits, unguessable: who has it may end the wait of a person. The same when the step is repeated. */
  requestId: string;
  kind: WaitKind;
  since: string;
  until?: string;
  childRunId?: string;
  /** Of `NewWait`: the record may be durable before the wait's row is, and the row is made from it then. */
  request?: HumanRequest;
  child?: NewChildRun;
  /** Counts the waits of this step from 1. */
  number: number;
}

/** A wait on its way into its row. */
export interface NewWait {
  requestId: string;
  /** Of the step that waits. */
  stepPath: string;
  kind: WaitKind;
  /** A timer's moment, or until when a person may answer. Null: the run's own limit for being paused. */
  until: Date | null;
  /** What is asked of a person. */
  request: HumanRequest | null;
  /** The run that is started with the wait, and whose ending ends it. */
  child: NewChildRun | null;
}

/** A request that a step opened for a later one to wait for: links that go out before anything waits. */
export interface OpenedRequest {
  requestId: string;
  request: HumanRequest;
}
