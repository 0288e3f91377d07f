import { spawn } from 'node:child_process';
import { makeHostFolder, removeHostFolder } from '../folders/host-folder';
import { HOST_ENVIRONMENT, hostCommand, possibleWalls, type Walls } from './host-command';

const LIMIT_MS = 10_000;
const TRIAL_MEMORY_MB = 512;

/** One trial may fail for want of time, memory or processes, which are there a moment later. */
const TRIALS = 2;

export interface WallTrials {
  /** Whether the worker may change its user. */
  readonly isRoot: boolean;
  readonly canBeBuilt: (walls: Walls) => Promise<boolean>;
}

/**
 * Finds the strongest walls that this machine has, by starting a process behind each. Where some are known, it looks for
 * stronger ones alone.
 */
export async function findWalls(known?: Walls, trials: Partial<WallTrials> = {}): Promise<Walls> {
  const possible = possibleWalls(trials.isRoot ?? process.getuid?.() === 0);
  const place = known ? possible.findIndex((walls) => areSame(walls, known)) : -1;
  for (const walls of possible.slice(0, place)) if (await isBuilt(walls, trials.canBeBuilt ?? canBeBuilt)) return walls;
  return possible.at(place) as Walls;
}

const areSame = (one: Walls, other: Walls): boolean => one.wrapper.join('\n') === other.wrapper.join('\n');

async function isBuilt(walls: Walls, trial: WallTrials['canBeBuilt']): Promise<boolean> {
  for (let trials = 0; trials < TRIALS; trials++) if (await trial(walls)) return true;
  return false;
}

/** Tries the whole command with an empty program, because any program in it may be missing or not be allowed. */
export async function canBeBuilt(walls: Walls): Promise<boolean> {
  const place = await makeHostFolder(null);
  try {
    const [command = '', ...args] = hostCommand(walls, { memoryMb: TRIAL_MEMORY_MB }, place);
    return await succeeds(command, args);
  } finally {
    await removeHostFolder(place.folder);
  }
}

const succeeds = (command: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: 'ignore',
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      env: HOST_ENVIRONMENT,
    });
    child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0));
  });
