import type { FinalRunStatus } from '../run-status';
import type { NewChildRun } from './new-child-run';
import type { RunResponse } from './step-effects';

// What a run waits for while it is PAUSED. Purpose: the words that pieces, engine, journal and api share about waits.
//
// W1. A wait is a row (`run_request`) with a deadline before its run leaves the worker.
// W2. A wait ends exactly once: by time, by a person's answer, or by the ending of a child run. Its row has the ending.
// W3. A run whose wait has ended is RUNNING, and its next worker gives the ending to the step that waited.

/** The header of a flow's answer that names the URL at which its waiting run is resumed. */
export const RESUME_URL_HEADER = 'x-millrace-resume-url';

export type WaitKind = 'timer' | 'human' | 'child';

export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'number' | 'boolean' | 'date' | 'select';
  required: boolean;
  /** The choices of a `select`. */
  options?: readonly string[];
}

/** What tells a person why they are asked. */
interface RequestWords {
  /** What the author of the flow wants the person to know. */
  message?: string;
  /** The name that the waiting step has for people. Absent until a step waits. */
  stepDisplayName?: string;
}

/** What a person is asked who opens the link of the request. */
export type HumanRequest = RequestWords &
  (
    | { kind: 'approval' }
    | { kind: 'form'; fields: readonly FormField[] }
    /** Every HTTP request to the link is an answer, with its body, headers and query parameters. */
    | { kind: 'webhook' }
  );

/** How a wait ended. The answer of a person becomes the output of the waiting step unchanged. */
export type WaitEnding =
  /** `resumedAt` is in ISO 8601. */
  | { kind: 'timer'; resumedAt: string }
  | { kind: 'human'; answer: unknown }
  /** No answer came until the moment that the wait named. */
  | { kind: 'unanswered' }
  | {
      kind: 'child';
      runId: string;
      status: FinalRunStatus;
      response: RunResponse | null;
      /** The message of the child's failed step, or its status reason. Absent when the child succeeded. */
      message?: string;
    };

/** A wait in the record of its step. Moments are in ISO 8601. */
export interface StepWait {
  /** An unguessable id of 128 bits: its holder may answer for a person. A repeated step has the same id. */
  requestId: string;
  kind: WaitKind;
  since: string;
  until?: string;
  childRunId?: string;
  /** As in `NewWait`: the record may become durable before the row of the wait, which is then made from the record. */
  request?: HumanRequest;
  child?: NewChildRun;
  /** The number of this wait among the waits of its step, counting from 1. */
  number: number;
}

/** A wait before its row is written. */
export interface NewWait {
  requestId: string;
  /** The path of the step that waits. */
  stepPath: string;
  kind: WaitKind;
  /** The moment of a timer, or the last moment for a person's answer. Null means the limit for paused runs. */
  until: Date | null;
  /** What a person is asked; null when the wait is not for a person. */
  request: HumanRequest | null;
  /** The run that starts with the wait and whose ending ends the wait; null for other kinds of wait. */
  child: NewChildRun | null;
}

/** The wait that an action asks for. It begins only after it is on record, with the path of its step. */
export type AskedWait = Omit<NewWait, 'stepPath'>;

/** A request that a step opened for a later step to wait for: its links are sent before a step waits. */
export interface OpenedRequest {
  requestId: string;
  request: HumanRequest;
}
