/**
 * How much CPU time a thread has used, in ms. Linux keeps this account for each thread, and every thread of the
 * process can read it. Elsewhere wall time stands for it, with a margin for what the machine does besides.
 */
import { openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { monotonicMs } from './thread-protocol';

export type CpuReading = () => number;

const WALL_MARGIN = 2;

const wallWithMargin: CpuReading = () => monotonicMs() / WALL_MARGIN;

/** Where the system keeps the account of the calling thread; undefined where it keeps none. */
export function accountOfThisThread(): string | undefined {
  try {
    const file = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
    return cpuMsIn(readFileSync(file, 'latin1')) > 0 ? file : undefined;
  } catch {
    return undefined; // the system has no such accounting
  }
}

/** For the thread itself, which reads often: it keeps the file open. */
export function ownCpu(account: string | undefined): CpuReading {
  if (account === undefined) return wallWithMargin;
  const file = openSync(account, 'r');
  const buffer = Buffer.alloc(128);
  return () => cpuMsIn(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)));
}

/** For another thread, which reads rarely. A thread that has ended uses nothing more. */
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

/** The first number is the time on a CPU, in ns. */
function cpuMsIn(schedstat: string): number {
  return parseInt(schedstat, 10) / 1e6;
}
