/** A step that holds a thread for long. */
export interface HeldThread {
  tenant: string;
  heldMs: number;
  /** How often its step was ended before to be begun again. */
  preemptions: number;
}

/** So often may a step be ended to be begun again; then it has its thread until its own limits end it. */
const MOST_PREEMPTIONS = 2;
const LEAST_HELD_MS = 100;
/** A tenant that holds no other thread keeps its only one at least this long. */
const LEAST_HELD_ALONE_MS = 1_000;

/** Whose step is ended when a tenant that holds no thread has to wait: the longest of the tenant that holds most. */
export function choosePreempted<Thread extends HeldThread>(threads: readonly Thread[]): Thread | undefined {
  const held = new Map<string, number>();
  for (const { tenant } of threads) held.set(tenant, (held.get(tenant) ?? 0) + 1);
  const heldBy = ({ tenant }: Thread) => held.get(tenant) ?? 0;
  const least = (thread: Thread) => (heldBy(thread) > 1 ? LEAST_HELD_MS : LEAST_HELD_ALONE_MS);
  return threads
    .filter((thread) => thread.preemptions < MOST_PREEMPTIONS && thread.heldMs >= least(thread))
    .toSorted((a, b) => heldBy(b) - heldBy(a) || b.heldMs - a.heldMs)[0];
}
