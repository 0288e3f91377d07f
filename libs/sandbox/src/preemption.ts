/** A thread in a long step. */
export interface HeldThread {
  tenant: string;
  heldMs: number;
  /** How often the step was preempted already: ended, to be begun again later. */
  preemptions: number;
}

/** A step is preempted at most this often. Then it keeps its thread until its own limits end it. */
const MOST_PREEMPTIONS = 2;
const LEAST_HELD_MS = 100;
/** A tenant that holds no other thread keeps its only one at least this long. */
const LEAST_HELD_ALONE_MS = 1_000;

/**
 * Chooses the thread whose step is ended when a tenant that holds no thread waits: the longest step of the tenant that
 * holds most threads. Undefined when every step has run too short a time or was preempted too often.
 */
export function choosePreempted<Thread extends HeldThread>(threads: readonly Thread[]): Thread | undefined {
  const held = new Map<string, number>();
  for (const { tenant } of threads) held.set(tenant, (held.get(tenant) ?? 0) + 1);
  const heldBy = ({ tenant }: Thread) => held.get(tenant) ?? 0;
  const least = (thread: Thread) => (heldBy(thread) > 1 ? LEAST_HELD_MS : LEAST_HELD_ALONE_MS);
  return threads
    .filter((thread) => thread.preemptions < MOST_PREEMPTIONS && thread.heldMs >= least(thread))
    .toSorted((a, b) => heldBy(b) - heldBy(a) || b.heldMs - a.heldMs)[0];
}
