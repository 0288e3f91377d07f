import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this process, or of the process or thread with the given id. Never raises it, which only root
 * may do: one that was started with a lower priority, as under `nice`, keeps that. So does one that may not change its
 * priority at all, because the service works without it.
 */
export function lowerPriority(niceness: number, id = 0): void {
  try {
    if (getPriority(id) < niceness) setPriority(id, niceness);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

/** Node's `SystemError` has the code of the system in `info`. */
const isRefusal = (error: unknown): boolean =>
  ['EACCES', 'EPERM'].includes((error as { info?: { code?: string } }).info?.code ?? '');
