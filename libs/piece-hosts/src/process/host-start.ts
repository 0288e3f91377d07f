import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeHostFolder, type HostFolder } from '../folders/host-folder';
import { HOST_ENVIRONMENT, hostCommand, type HostLimits, type Walls } from '../walls/host-command';
import { HostFailure } from './host-failure';
import { lastWords } from './host-output';

/** What the process of a host is started with. */
export interface StartOptions {
  readonly walls: Walls;
  readonly limits: HostLimits;
  /** The compiled `host-program`. */
  readonly program: string;
  /** A PEM file with authorities that the host trusts besides those that Node.js knows. */
  readonly authorities?: string | undefined;
}

const DESCRIPTORS_OF_START = 16;
/** How a process ends whose memory is at its limit: by an abort, or where that does not end it, by what follows. */
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGSEGV', 'SIGTRAP', 'SIGILL', 'SIGBUS'];
const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [132, 133, 134, 135, 139];

/** A process that could not be started for want of file descriptors has no streams at all. */
export const channelOf = ({ stdio }: Partial<ChildProcess>): Duplex | null =>
  (stdio?.[3] as Duplex | undefined) ?? null;

export function startProcess({ walls, limits }: StartOptions, place: HostFolder): ChildProcess {
  const [command = '', ...args] = hostCommand(walls, limits, place);
  return spawn(command, args, {
    cwd: place.folder,
    env: HOST_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
}

/** Resolves when the process has ended, or could not be started, with the reason. */
export async function endingOf(child: ChildProcess, output: () => string): Promise<HostFailure> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (OUT_OF_MEMORY_SIGNALS.includes(signal) || OUT_OF_MEMORY_CODES.includes(code))
      return new HostFailure('memory', 'The piece reached its memory limit.');
    await nextTurn(); // what it printed before it ended is read by then
    const [how, words] = [signal ?? `exit code ${code}`, lastWords(output())];
    return new HostFailure('ended', `The piece ended its process (${how})${words === '' ? '.' : `: ${words}`}`);
  } catch (cause) {
    return notStarted(cause);
  }
}

/** Makes the folder of a host. Throws HostFailure. */
export async function preparedFolder({ program, authorities }: StartOptions): Promise<HostFolder> {
  try {
    assertFileDescriptors(program);
    return await makeHostFolder(program, authorities);
  } catch (error) {
    throw notStarted(error);
  }
}

/** Node.js never closes some descriptors of a process that it cannot start for want of them, so there must be enough. */
function assertFileDescriptors(file: string): void {
  const open: number[] = [];
  try {
    while (open.length < DESCRIPTORS_OF_START) open.push(openSync(file, 'r'));
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

const notStarted = (cause: unknown): HostFailure =>
  new HostFailure('ended', `A piece host cannot be started (${codeOf(cause)}).`, { cause });
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'no reason';
