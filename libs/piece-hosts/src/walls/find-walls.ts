import { spawn } from 'node:child_process';
import { makeHostFolder, removeHostFolder } from '../folders/host-folder';
import { HOST_ENVIRONMENT, hostCommand, possibleWalls, type Walls } from './host-command';

const LIMIT_MS = 10_000;
const TRIAL_MEMORY_MB = 512;

/**
 * Finds the strongest walls that this machine has, by starting a process behind each. `isRoot` says whether the worker
 * may change its user.
 */
export async function findWalls(isRoot = process.getuid?.() === 0): Promise<Walls> {
  const possible = possibleWalls(isRoot);
  for (const walls of possible.slice(0, -1)) if (await canBeBuilt(walls)) return walls;
  return possible.at(-1) as Walls;
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
