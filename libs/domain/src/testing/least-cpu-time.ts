const TRIES = 3;

/**
 * The CPU time of this process in ms while the work was done, the least of three tries. A single try says little on a
 * busy machine: the time also counts the collection of other tests' garbage, and whatever shares the core.
 */
export async function leastCpuMs(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let tried = 0; tried < TRIES; tried++) {
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
