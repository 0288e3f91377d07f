import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileBundling } from '../testing/compile-thread';
import { FakeRegistry } from '../testing/fake-registry';
import { isProblem } from './code-bundle';
import { InstallationsBusyError } from './npm-installations';
import type { PackageBundle } from './bundle-package';
import { PackageBuilder, type BuiltPackage, type PackageToBuild } from './package-builder';
import { PackageCache } from './package-cache';

describe('PackageBuilder', () => {
  let registry: FakeRegistry;
  let scripts: { bundle: string; install: string };
  let folder: string;
  const builders: PackageBuilder[] = [];

  beforeAll(async () => {
    scripts = await compileBundling();
  });
  beforeEach(async () => {
    registry = await FakeRegistry.start();
    folder = mkdtempSync(join(tmpdir(), 'builder-'));
    mkdirSync(join(folder, 'package'));
  });
  afterEach(async () => {
    for (const builder of builders.splice(0)) builder.close();
    await registry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function aBuilder(limits = {}): PackageBuilder {
    const cache = new PackageCache(join(folder, 'cache'), Number.MAX_SAFE_INTEGER);
    const builder = new PackageBuilder(cache, { scripts, registry: registry.settings, limits });
    builders.push(builder);
    return builder;
  }

  function aPackage(source: string, dependencies: Record<string, string>, lock: string | null = null): PackageToBuild {
    writeFileSync(join(folder, 'package', 'index.js'), source);
    return { name: 'piece', version: '1.0.0', main: 'index.js', folder: join(folder, 'package'), dependencies, lock };
  }

  const build = (wanted: PackageToBuild, limits = {}) => aBuilder(limits).build(wanted, async (built) => built);

  /** Runs a bundle in a folder that has nothing else. */
  function exportsOf({ bundle }: BuiltPackage): unknown {
    if (isProblem(bundle)) throw new Error(bundle.problem);
    const place = join(folder, 'alone.cjs');
    writeFileSync(place, bundle.script);
    return createRequire(place)(place) as unknown;
  }

  it('makes one module of a package and what it needs, by the rules of Node.js', async () => {
    registry
      .add('outer', { dependencies: { inner: '^1.0.0' } }, { 'index.js': `module.exports = 'o' + require('inner');` })
      .add(
        'inner',
        { main: 'main.js', browser: 'browser.js' },
        { 'main.js': `module.exports = require('node:path').sep;`, 'browser.js': `module.exports = 'browser';` },
      );
    const source = `exports.text = require('outer'); try { require('absent'); } catch { exports.isAbsent = true; }`;

    const built = (await build(aPackage(source, { outer: '1.0.0' }))) as BuiltPackage;

    expect(exportsOf(built)).toEqual({ text: 'o/', isAbsent: true });
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('installs again what the lock of the first installation names, or nothing', async () => {
    registry.add('needed', {}, { 'index.js': `module.exports = 'first';` });
    const first = (await build(aPackage(`exports.it = require('needed');`, { needed: '*' }))) as BuiltPackage;
    expect(JSON.parse(first.lock)).toMatchObject({
      packages: { 'node_modules/needed': { version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) } },
    });
    expect(first.lock).not.toContain(registry.url);

    const locked = aPackage(`exports.it = require('needed');`, { needed: '*' }, first.lock);
    expect(exportsOf((await build(locked)) as BuiltPackage)).toEqual({ it: 'first' });
    registry.add('needed', {}, { 'index.js': `module.exports = 'second';` });
    expect(await build(locked)).toEqual({
      problem: 'The dependencies could not be installed: npm says EINTEGRITY.',
    });
  });

  it.each([
    ['of a name that is computed', `require('./' + process.argv[1] + '.js');`],
    ['that is no JavaScript', `require('./part.node');`],
    ['that it looks for', `require.resolve('needed');`],
  ])('leaves a package as it is when it asks for a file %s', async (_what, source) => {
    registry.add('needed', {}, { 'index.js': source, 'part.node': 'native' });

    const built = await aBuilder().build(aPackage(`require('needed');`, { needed: '1.0.0' }), async (made) => ({
      isBundled: !isProblem(made.bundle),
      files: readdirSync(join(made.folder, 'node_modules/needed')).sort(),
    }));

    expect(built).toEqual({ isBundled: false, files: ['index.js', 'package.json', 'part.node'] });
  });

  it('leaves out packages that look for files beside their code, with what they need', async () => {
    const seeker = `module.exports = require('fs').readFileSync(__dirname + '/part.txt', 'utf8') + require('inner');`;
    registry
      .add('seeker', { dependencies: { inner: '1.0.0' } }, { 'index.js': seeker, 'part.txt': 'part of ' })
      .add('inner', {}, { 'index.js': `module.exports = 'inner';` })
      .add('plain', {}, { 'index.js': `module.exports = 'plain';` });
    const wanted = aPackage(`exports.it = [require('plain'), require('seeker')];`, { plain: '1.0.0', seeker: '1.0.0' });

    const built = await aBuilder().build(wanted, async (made) => {
      const { beside } = made.bundle as PackageBundle;
      for (const place of beside) cpSync(join(made.folder, place), join(folder, place), { recursive: true });
      return { beside, exports: exportsOf(made) };
    });

    expect(built).toEqual({
      beside: ['node_modules/seeker', 'node_modules/inner'],
      exports: { it: ['plain', 'part of inner'] },
    });
  });

  it('leaves a package as it is that looks for its own files', async () => {
    registry.add('needed');
    const source = `require('needed'); exports.template = () => require('fs').readFileSync(__dirname + '/part.txt');`;

    expect(await build(aPackage(source, { needed: '1.0.0' }))).toMatchObject({
      bundle: { problem: 'It looks for its own files.' },
    });
  });

  it.each(['http://127.0.0.1/x.tgz', 'git+https://example.com/x.git', 'file:../x', 'github:a/b'])(
    'fetches nothing when a package, or what it needs, depends on %s',
    async (stray) => {
      registry.add('outer', { dependencies: { stray } });

      expect(await build(aPackage('', { stray }))).toEqual({
        problem: 'The package depends on "stray", which does not come from the registry.',
      });
      expect(registry.asked).toEqual([]);
      expect(await build(aPackage('', { outer: '1.0.0' }))).toEqual({
        problem: expect.stringContaining('"outer" depends on "stray", which does not come from the registry.'),
      });
      expect(registry.asked.filter((path) => path.includes('/-/'))).toEqual([]);
    },
  );

  it('reads no settings of npm that an archive brings', async () => {
    registry.add('needed');
    const wanted = aPackage('', { needed: '1.0.0' });
    writeFileSync(join(wanted.folder, '.npmrc'), 'registry=http://127.0.0.1:1/\nomit=prod\n');
    writeFileSync(join(wanted.folder, 'package-lock.json'), '{"lockfileVersion": 9}');

    const names = await aBuilder().build(wanted, async (made) => readdirSync(made.folder).sort());

    expect(names).toEqual(['index.js', 'node_modules', 'package-lock.json', 'package.json']);
  });

  it('lets at most 20 wait', async () => {
    const builder = aBuilder();
    const wanted = aPackage('', { 'held-for-ever': '1.0.0' });
    const builds = Array.from({ length: 21 }, () => builder.build(wanted, async () => 'built'));
    const first = expect(builds[0]).rejects.toThrow('Its process ended.');

    await expect(builder.build(wanted, async () => 'built')).rejects.toThrow(InstallationsBusyError);

    await registry.heldRequest('held-for-ever');
    builder.close();
    await first;
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('ends when it is told to, and leaves nothing', async () => {
    const stop = new AbortController();
    const wanted = aPackage('', { 'held-to-be-stopped': '1.0.0' });
    const stopped = expect(aBuilder().build(wanted, async () => 'built', stop.signal)).rejects.toThrow('stopped');

    await registry.heldRequest('held-to-be-stopped');
    stop.abort(new Error('It was stopped.'));

    await stopped;
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('leaves nothing of what takes too long', async () => {
    const built = await build(aPackage('', { 'held-for-long': '1.0.0' }), { timeMs: 3_000 });

    expect(built).toEqual({ problem: expect.stringContaining('npm took longer than 3 s') });
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });
});
