import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'piece-host-';
const NAME = /^piece-host-(\d+)-/;

/** The folder of a host, which the host may open what it knows the name of in, and list nothing. */
export interface HostFolder {
  readonly folder: string;
  /** The program of the host, readable to it wherever the original lies. */
  readonly program: string;
  /** A copy of the file with the authorities that the host trusts. */
  readonly authorities?: string;
}

/** Makes the folder of a host, with copies of the program, or of an empty one, and of the authorities. Its name tells whose it is. */
export async function makeHostFolder(original: string | null, trusted?: string): Promise<HostFolder> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  try {
    const program = join(folder, 'host-program.cjs');
    await chmod(folder, 0o711);
    await (original === null ? writeFile(program, '') : copyFile(original, program));
    await chmod(program, 0o644);
    if (trusted === undefined) return { folder, program };
    const authorities = join(folder, 'authorities.pem');
    await copyFile(trusted, authorities);
    await chmod(authorities, 0o644);
    return { folder, program, authorities };
  } catch (error) {
    await removeHostFolder(folder);
    throw error;
  }
}

export const removeHostFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 });

/**
 * Removes the folders of workers of this machine that are gone, and ends what is left of their hosts: what builds the
 * walls waits for ever when its own parent is killed in the moment of its start. A worker does so before its first host.
 */
export async function sweepHostFolders(): Promise<void> {
  await endOrphans();
  for (const name of await readdir(tmpdir())) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await removeHostFolder(join(tmpdir(), name));
  }
}

const OWNER = new RegExp(`${join(tmpdir(), PREFIX)}(\\d+)-`);

/** Ends the processes that name the folder of a worker which is gone. Systems other than Linux have no /proc. */
async function endOrphans(): Promise<void> {
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''); // it has just ended
    const [, owner] = OWNER.exec(commandLine) ?? [];
    if (owner !== undefined && !isAlive(Number(owner))) endProcess(Number(pid));
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has just ended, or is of another user, whose worker ends it.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
