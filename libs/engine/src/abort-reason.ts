/**
 * Why the caller of `runFlow` aborts its signal (`controller.abort(reason)`). The first two end the run; after the
 * others another worker goes on with it.
 */
export type AbortReason = 'timedOut' | 'stopped' | 'claimLost' | 'shutdown';

export const endsTheRun = (reason: unknown): reason is 'timedOut' | 'stopped' =>
  reason === 'timedOut' || reason === 'stopped';
