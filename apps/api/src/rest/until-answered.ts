import { setTimeout as sleep } from 'node:timers/promises';

/** How a request waits for the work of a worker, in milliseconds. */
export interface Patience {
  /** How long it waits in all. */
  readonly forMs: number;
  /** It asks after so long at first, then less and less often. */
  readonly firstAfterMs: number;
  readonly everyMs: number;
}

/** Asks for an answer until there is one, and resolves with it. Resolves with null when there is none in time. */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer | null>,
  { forMs, firstAfterMs, everyMs }: Patience,
): Promise<Answer | null> {
  const until = performance.now() + forMs;
  for (let pause = firstAfterMs; performance.now() < until; pause = Math.min(2 * pause, everyMs)) {
    await sleep(pause);
    const answer = await ask();
    if (answer !== null) return answer;
  }
  return null;
}
