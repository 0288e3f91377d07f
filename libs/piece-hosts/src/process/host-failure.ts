/**
 * Why a call has no answer:
 * - `memory`, `time`: the host was ended at this limit;
 * - `ended`: the package ended the process;
 * - `notLoaded`: the host could not load the package, so the call has not begun;
 * - `misused`: the package sent what no host program sends, or more than a call may;
 * - `stopped`: the caller stopped it.
 */
export type HostFailureReason = 'memory' | 'time' | 'ended' | 'notLoaded' | 'misused' | 'stopped';

/** A call failed together with its host. The message is a sentence for the author of the flow. */
export class HostFailure extends Error {
  constructor(
    readonly reason: HostFailureReason,
    message: string,
    options?: ErrorOptions,
    /** What the package printed during the call. */
    readonly output = '',
  ) {
    super(message, options);
  }

  /** The failure as that of the call during which the package printed this. */
  ofCall(output: string): HostFailure {
    return new HostFailure(this.reason, this.message, { cause: this }, output);
  }
}
