import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepHostFolders } from './host-folder';

/** The id of a process that has ended. */
const goneId = (): number => spawnSync(process.execPath, ['-e', '']).pid;
const folderOf = (worker: number): string => join(tmpdir(), `piece-host-${worker}-spec`);

const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A host of a worker: its folder, and a process that names it. */
async function aHostOf(worker: number): Promise<{ folder: string; child: ChildProcess }> {
  const folder = folderOf(worker);
  mkdirSync(folder);
  folders.push(folder);
  const program = 'process.stdout.write("runs"); setInterval(() => undefined, 1_000)';
  const child = spawn(process.execPath, ['-e', program, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout, 'data');
  return { folder, child };
}

describe('a sweep', () => {
  it('ends the hosts of a worker that is gone, and removes their folders', async () => {
    const { folder, child } = await aHostOf(goneId());
    const ended = once(child, 'exit');

    await sweepHostFolders();

    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(existsSync(folder)).toBe(false);
  });

  it('leaves those of a worker that lives', async () => {
    const { folder, child } = await aHostOf(process.pid);

    await sweepHostFolders();

    expect(existsSync(folder)).toBe(true);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });
});
