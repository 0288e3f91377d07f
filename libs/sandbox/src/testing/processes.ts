import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningProcess {
  pid: number;
  command: string;
  /** Names of the variables in its environment. */
  variables: string[];
}

/** All descendants of a process, read from /proc of Linux. */
export function descendantsOf(pid: number): RunningProcess[] {
  const children = readProc(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [describeProcess(child), ...descendantsOf(child)]);
}

/** Resolves when all of the processes have ended. */
export async function ended(processes: readonly RunningProcess[]): Promise<void> {
  const isRunning = ({ pid }: RunningProcess) =>
    existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readProc(pid, 'status'));
  while (processes.some(isRunning)) await delay(10);
}

function describeProcess(pid: number): RunningProcess {
  const words = (file: string) => readProc(pid, file).split('\0').filter(Boolean);
  return {
    pid,
    command: words('cmdline').join(' '),
    variables: words('environ').map((variable) => variable.split('=')[0] ?? ''),
  };
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // the process has just ended
  }
}
