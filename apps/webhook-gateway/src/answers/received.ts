import type { Acceptance, ChallengeAnswer } from '@millrace/domain';

/** What a request led to: a run, or the answer to a handshake. */
export type Received = Acceptance | { challenge: ChallengeAnswer };

/** A run whose sender waits for its answer. The caller chooses its id, to wait before the run is accepted. */
export interface AwaitedRun {
  id: string;
}
