/**
 * How much CPU time a thread has used, in ms. Linux keeps this account for each thread, and every thread of the process
 * can read it. On other systems half of the wall time stands for it, because the machine does other work meanwhile.
 */
import { openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { monotonicMs } from './thread-protocol';

export type CpuReading = () => number;

const WALL_MARGIN = 2;

const wallWithMargin: CpuReading = () => monotonicMs() / WALL_MARGIN;

/** The file with the CPU account of the calling thread. Undefined when the system keeps no such account. */
export function accountOfThisThread(): string | undefined {
  try {
    const file = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
    return cpuMsIn(readFileSync(file, 'latin1')) > 0 ? file : undefined;
  } catch {
    return undefined; // the system has no such accounting
  }
}

/** Reads the account of the calling thread. A thread reads its own account often, so the file stays open. */
export function ownCpu(account: string | undefined): CpuReading {
  if (account === undefined) return wallWithMargin;
  const file = openSync(account, 'r');
  const buffer = Buffer.alloc(128);
  return () => cpuMsIn(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)));
}

/** Reads the account of another thread, which happens rarely. The reading of a thread that has ended is 0. */
export function cpuOfThread(account: string | undefined): CpuReading {
  if (account === undefined) return wallWithMargin;
  return () => {
    try {
      return cpuMsIn(readFileSync(account, 'latin1'));
    } catch {
      return 0;
    }
  };
}

/** The first number of the file is the time on a CPU, in ns. */
function cpuMsIn(schedstat: string): number {
  return parseInt(schedstat, 10) / 1e6;
}
