/** What Linux says about a process: whether it stands still, and how much memory it had at most. */
import { readFileSync } from 'node:fs';

/** The state of a process as one letter, for example `T` for one that SIGSTOP has stopped; undefined when it is gone. */
export function stateOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0]; // the name in parentheses may contain any character
  } catch {
    return undefined;
  }
}

export const isStopped = (pid) => pid !== undefined && stateOf(pid) === 'T';

/** The most memory that a process has had in RAM, in MB; 0 when it is gone. */
export function peakMbOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
