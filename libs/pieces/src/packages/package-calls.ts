import type { PieceRef } from '@millrace/domain';
import { ActionFailure } from '../framework/piece';

/** What a call of a package may ask its worker for, by name. */
export type PackageServices = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

export interface PackageCall {
  readonly piece: PieceRef;
  /** The call has the means of this project, and no process is shared between projects. */
  readonly projectId: string;
  /** What the package is asked to do, as `libs/piece-hosts` describes it. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly services: PackageServices;
  /** While one of these services is under way, nothing that the package sends leaves its process. */
  readonly committing?: readonly string[];
  readonly signal: AbortSignal;
  /** The call goes before others of its project that wait for a process. */
  readonly isFirst?: boolean;
  /**
   * Starts a flow, and resolves with the id of the run. Those of a call are started one after the other. Absent where
   * there is no run that could be its parent.
   */
  readonly startFlow?: (start: FlowStart) => Promise<string>;
  /** Is called when the package begins. Before that, the call may wait for a process. */
  readonly begun?: () => void;
  /** Is called when the package has ended. Its process takes the next call when this resolves. */
  readonly ended?: () => Promise<void>;
}

/** A flow that a call starts, as a run under its own. */
export interface FlowStart {
  /** The id of a flow of the project. */
  readonly flow: string;
  /** The output of the trigger. */
  readonly payload: unknown;
  /** What of the payload is the same when the step is repeated. */
  readonly content: unknown;
  readonly failParentOnFailure: boolean;
}

/** What the package answered, or why it did not: what it threw, or which limit it reached. `output` is what it printed. */
export type PackageAnswer = ({ readonly value: unknown } | PackageFailure) & { readonly output: string };

export interface PackageFailure {
  readonly failure: string;
  /** The package has not said it: its process reached a limit, ended, or could not be had. */
  readonly isUnanswered?: true;
  /** What the package answered is larger than an answer may be. */
  readonly isOversized?: true;
}

/** Thrown when a package gave no answer at all, for example because it cannot be run here. */
export class UnansweredCall extends ActionFailure {}

/** Thrown when the answer of a package is larger than an answer may be. */
export class OversizedAnswer extends ActionFailure {}

/** Calls the code of packages, which only workers do. */
export abstract class PackageCalls {
  /**
   * Rejects at an abort of the signal, with UnansweredCall when the package cannot be run here, and with
   * ServiceUnavailableError when it cannot be had at the moment.
   */
  abstract call(call: PackageCall): Promise<PackageAnswer>;
}

/** The calls of an app that runs no package. */
export class NoPackageCalls extends PackageCalls {
  override call({ piece: { name } }: PackageCall): Promise<PackageAnswer> {
    return Promise.reject(new Error(`The code of ${name} is run by workers only.`));
  }
}
