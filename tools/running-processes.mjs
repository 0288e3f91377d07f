/** Looks at processes by their number. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (/** @type {any} */ error) {
    return error.code === 'EPERM'; // the process is alive and belongs to another account
  }
}

/**
 * The command line of a process, or '' when it cannot be read. It is needed because numbers of processes are reused.
 */
export function commandOf(pid) {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    if (process.platform === 'win32') return '';
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return ''; // it ended between the question and the answer
  }
}

/**
 * When a process began, as text in the format of the system, or '' when it cannot be read. Number, command and start
 * together identify a process.
 */
export function startOf(pid) {
  try {
    // The name in parentheses may contain any character. Field 3 comes after it, and field 22 is the start.
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
    if (process.platform === 'win32') return '';
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return ''; // it ended between the question and the answer
  }
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves with true as soon as `condition` holds, and with false when it does not hold within the time. */
export async function waitUntil(condition, withinMs, everyMs = 25) {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await pause(everyMs);
  }
  return true;
}
