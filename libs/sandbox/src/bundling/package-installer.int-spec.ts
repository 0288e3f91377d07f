import { fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileBundling, compileEntry } from '../testing/compile-thread';
import { FakeRegistry } from '../testing/fake-registry';
import { descendantsOf, ended, type RunningProcess } from '../testing/processes';
import { InstallationsBusyError } from './npm-installations';
import { PackageInstaller, type PackageInstallerOptions } from './package-installer';

describe('PackageInstaller', () => {
  let registry: FakeRegistry;
  let internal: Server;
  let internalRequests: string[];
  let cacheDir: string;
  let script: string;
  const installers: PackageInstaller[] = [];

  beforeAll(async () => {
    ({ install: script } = await compileBundling());
    registry = await FakeRegistry.start();
    internal = createServer(({ url = '' }, response) => {
      internalRequests.push(url);
      response.end();
    });
    await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(async () => {
    internalRequests = [];
    cacheDir = await mkdtemp(join(tmpdir(), 'package-installer-'));
  });
  afterEach(async () => {
    for (const installer of installers.splice(0)) installer.close();
    await rm(cacheDir, { recursive: true, force: true });
  });
  afterAll(async () => {
    await registry.close();
    internal.close();
  });

  function anInstaller(limits: PackageInstallerOptions['limits'] = {}): PackageInstaller {
    const installer = new PackageInstaller({ cacheDir, script, limits, registry: registry.settings });
    installers.push(installer);
    return installer;
  }

  const install = (name: string, limits?: PackageInstallerOptions['limits']) =>
    anInstaller(limits).folderOf(new Map([[name, '1.0.0']]));

  it('installs a package with what it depends on, and leaves nothing else behind', async () => {
    registry.add('outer', { dependencies: { '@scope/inner': '^1.0.0', renamed: 'npm:tagged@latest' } });
    registry.add('@scope/inner').add('tagged');

    const folder = (await install('outer')) as string;

    expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      '@scope',
      'outer',
      'renamed',
    ]);
    expect(await readdir(cacheDir)).toHaveLength(1);
  }, 120_000);

  it('asks nothing that a package names, by whatever way', async () => {
    const address = `127.0.0.1:${(internal.address() as AddressInfo).port}`;
    const lock = {
      lockfileVersion: 1,
      dependencies: { locked: { version: '1.0.0', resolved: `http://${address}/locked.tgz` } },
    };
    registry
      .add('by-address', { dependencies: { evil: `http://${address}/dependency.tgz` } })
      .add('by-git', { optionalDependencies: { evil: `git+http://${address}/repository.git` } })
      .add(
        'by-lock',
        { _hasShrinkwrap: true, dependencies: { locked: '1.0.0' } },
        { 'npm-shrinkwrap.json': JSON.stringify(lock) },
      )
      .add(
        'by-bundle',
        { bundleDependencies: ['b'], dependencies: { b: '1.0.0' } },
        {
          'node_modules/b/package.json': JSON.stringify({
            name: 'b',
            version: '1.0.0',
            dependencies: { evil: `http://${address}/bundled.tgz` },
          }),
        },
      )
      .add('locked')
      .add('b');

    expect(await install('by-address')).toEqual({
      problem:
        'The dependencies could not be installed: the package "by-address" depends on "evil", which does not come from the registry.',
    });
    for (const name of ['by-git', 'by-lock', 'by-bundle']) expect(await install(name)).toEqual(expect.any(String));

    expect(internalRequests).toEqual([]);
  }, 60_000);

  it('says which package, or which version of one, the registry does not have', async () => {
    registry.add('misspelt', { dependencies: { '@scope/nowhere': '1.0.0' } });
    registry.add('too-new', { dependencies: { inside: '^9.0.0' } }).add('inside');

    expect(await install('misspelt')).toEqual({
      problem: 'The dependencies could not be installed: the registry has no package @scope/nowhere@1.0.0.',
    });
    expect(await install('too-new')).toEqual({
      problem: 'The dependencies could not be installed: the registry has no inside@^9.0.0.',
    });
  }, 60_000);

  it('keeps small archives from becoming large ones', async () => {
    registry.add('bomb', {}, { 'index.js': ' '.repeat(5_000_000) });

    expect(await install('bomb', { unpackedBytes: 1_000_000 })).toEqual({
      problem: 'The dependencies could not be installed: they are larger than the limit for packages.',
    });
  }, 120_000);

  it('ends an installation that takes too long', async () => {
    expect(await install('held-back', { timeMs: 2_000 })).toEqual({
      problem: 'The dependencies could not be installed: npm took longer than 2 s.',
    });
  }, 120_000);

  it('refuses packages for a while when those in use leave no room for others', async () => {
    registry.add('first').add('second');
    const cacheBytes = 500 * 1024 * 1024;
    const installer = new PackageInstaller({ cacheDir, cacheBytes, script, registry: registry.settings });
    installers.push(installer);
    const first = new Map([['first', '1.0.0']]);
    const large = 'x'.repeat(40 * 1024 * 1024);

    await installer.using(first, async (folder) => {
      await writeFile(join(folder, 'large'), large);
      await expect(installer.folderOf(new Map([['second', '1.0.0']]))).rejects.toThrow(
        'The packages in use leave no room for others; try again in two minutes.',
      );
      return 'done';
    });

    expect(await installer.folderOf(first)).toEqual(expect.any(String));
  }, 120_000);

  it('removes packages that were not used for a day, and keeps the others', async () => {
    const now = Date.now();
    for (const [name, hoursAgo] of Object.entries({
      used: 23,
      unused: 25,
      '.installing-left': 2,
      '.installing-now': 0.5,
    })) {
      await mkdir(join(cacheDir, name));
      await utimes(join(cacheDir, name), new Date(now), new Date(now - hoursAgo * 3_600_000));
    }

    await anInstaller().prune(now);

    expect((await readdir(cacheDir)).sort()).toEqual(['.installing-now', 'used']);
  });

  it('skips what another process removes while it looks', async () => {
    await symlink('removed', join(cacheDir, 'a-link-to-nothing'));
    await mkdir(join(cacheDir, 'unused'));
    await utimes(join(cacheDir, 'unused'), 0, 0);

    await anInstaller().prune(Date.now());

    expect(await readdir(cacheDir)).toEqual(['a-link-to-nothing']);
  });

  const onLinux = process.platform === 'linux' ? describe : describe.skip;
  onLinux('the processes of an installation', () => {
    /** npm changes the title of its process when it runs, so both titles count. */
    const isNpm = ({ command }: RunningProcess) => /^npm install|npm-cli\.js install/.test(command);
    const isOurs = (running: RunningProcess) => isNpm(running) || running.command.includes(script);

    it('are one at a time, know nothing of the service, and end with it; more than 20 may not wait', async () => {
      const installer = anInstaller();
      const waiting = Array.from({ length: 21 }, (_, i) => installer.folderOf(new Map([[`held-${i}`, '1.0.0']])));
      // Installations that still wait at the end of the test reject. The test does not look at them.
      void Promise.allSettled(waiting);
      await expect(installer.folderOf(new Map([['one-more', '1.0.0']]))).rejects.toThrow(InstallationsBusyError);
      await registry.heldRequest('held-0');

      const processes = descendantsOf(process.pid).filter(isOurs);
      const known = ['HOME', 'TMPDIR', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'];
      expect(processes.filter(isNpm)).toHaveLength(1);
      for (const { variables } of processes) expect(known).toEqual(expect.arrayContaining(variables));

      installer.close();
      await ended(processes);
    }, 120_000);

    it('end when the service is killed', async () => {
      const service = fork(await compileEntry('testing/installing-service.ts'), [
        JSON.stringify({ cacheDir, script, registry: registry.settings }),
      ]);
      await registry.heldRequest('held-for-ever');
      const processes = descendantsOf(service.pid ?? 0);
      expect(processes.some(isNpm)).toBe(true);

      service.kill('SIGKILL');

      await ended(processes);
      expect(existsSync(cacheDir)).toBe(true);
    }, 120_000);
  });
});
