import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pieceStep } from '@millrace/domain/testing';
import { anArchive, aManifest, aPackage, patience, ServiceProcess, type Answer } from '@millrace/e2e-support';
import { Client } from 'pg';
import { commandLines } from './testing/command-lines';
import { PackageRegistry } from './testing/package-registry';
import { saying } from './testing/saying-package';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const WITHIN_MS = 150_000 * patience;
const NEEDS = { dependencies: { needed: '^1.0.0' } };

jest.setTimeout(3 * WITHIN_MS);

/** Puts an empty disk of 1 MB at a folder. Throws where that is not allowed. */
function mountDisk(folder: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`No disk can be mounted: ${stderr}`);
}

/** Whether these tests may mount a disk. Only root may, and in many containers nobody. */
function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  try {
    mountDisk(folder);
    return spawnSync('umount', [folder]).status === 0;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NEEDY = saying(`require('needed').word`);

interface Installed {
  readonly name: string;
  readonly integrity: string;
}

describe('packages of a registry', () => {
  let registry: PackageRegistry;
  let targets: ServiceWithTargets;
  let names = 0;

  beforeAll(async () => {
    registry = await PackageRegistry.start();
    targets = await ServiceWithTargets.start({ npm_config_registry: registry.url });
  });
  beforeEach(async () => {
    registry.isAway = false;
    registry.sending = 'whole';
    registry.publish('needed', await aPackage('needed', `exports.word = 'first';`));
  });
  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await registry.stop();
  });

  const client = () => targets.service.client;
  const place = () => join(targets.service.folder, 'pieces/v2');
  const unpacked = () => (existsSync(place()) ? readdirSync(place()).sort() : []);
  const install = (name: string): Promise<Answer<Installed>> =>
    client().request('POST', '/pieces', { name, version: '1.0.0' });

  async function published(source: string, manifest: object = {}): Promise<string> {
    const name = `@e2e/piece-installed-${names++}`;
    registry.publish(name, await aPackage(name, source, manifest), manifest);
    return name;
  }

  async function said(pieceName: string): Promise<unknown> {
    const step = pieceStep('act', {});
    const settings = { ...step.settings, pieceName, pieceVersion: '1.0.0', actionName: 'say' };
    const { steps, status } = await targets.run([{ ...step, settings }]);
    return steps?.['act']?.output ?? status;
  }

  async function storedFiles(name: string): Promise<number> {
    const database = new Client({ connectionString: targets.service.databaseUrl });
    await database.connect();
    try {
      const label = `${name.replaceAll('/', '-')}-1.0.0.tgz`;
      return (await database.query('select 1 from file where name = $1', [label])).rowCount ?? 0;
    } finally {
      await database.end();
    }
  }

  it('are built with what they need, and then run with neither a registry nor an unpacked folder', async () => {
    const name = await published(NEEDY, NEEDS);
    const { status, body } = await install(name);
    expect([status, body.name]).toEqual([201, name]);
    expect(await said(name)).toEqual({ said: 'first' });

    registry.isAway = true;
    targets.service.kill('worker');
    rmSync(place(), { recursive: true, force: true });

    expect(await said(name)).toEqual({ said: 'first' });
    expect(await storedFiles(name)).toBe(1);
  });

  it.each([
    ['as one module', () => published(NEEDY, NEEDS), 'first'],
    ['as it is', () => published(saying(`'plain'`)), 'plain'],
  ])('are unpacked again from the kept archive when a file of one kept %s is damaged', async (_how, publish, word) => {
    const name = await publish();
    const before = unpacked();
    await install(name);
    registry.isAway = true;
    const [folder = ''] = unpacked().filter((each) => !before.includes(each));
    const main = join(place(), folder, 'package/index.js');
    truncateSync(main);

    expect(await said(name)).toEqual({ said: word });
    expect(readFileSync(main, 'utf8')).toContain(word);

    targets.service.kill('worker');
    rmSync(main);

    expect(await said(name)).toEqual({ said: word });
    expect(readFileSync(main, 'utf8')).toContain(word);
  });

  it('have what they need in the bytes of the first installation, also after a removal', async () => {
    const name = await published(NEEDY, NEEDS);
    const { body: first } = await install(name);
    await client().must('DELETE', `/pieces/${encodeURIComponent(name)}?version=1.0.0`);
    expect(await storedFiles(name)).toBe(0);

    registry.publish('needed', await aPackage('needed', `exports.word = 'changed';`));
    expect(await install(name)).toMatchObject({
      status: 422,
      body: { params: { message: 'The dependencies could not be installed: npm says EINTEGRITY.' } },
    });

    registry.publish('needed', await aPackage('needed', `exports.word = 'first';`));
    expect(await install(name)).toMatchObject({ status: 201, body: { integrity: first.integrity } });
    registry.publish(name, await aPackage(name, saying(`'changed'`)));
    await client().must('DELETE', `/pieces/${encodeURIComponent(name)}?version=1.0.0`);
    expect(await install(name)).toMatchObject({ status: 409, body: { code: 'PIECE_INTEGRITY' } });
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['never end while they are loaded', () => published('for (;;) {}'), /reached its time limit of 20 s/],
    [
      'never end while they are loaded, with what they need',
      () => published(`require('needed'); for (;;) {}`, NEEDS),
      /reached its time limit of 20 s/,
    ],
    [
      'have other bytes than the registry says',
      async () => {
        const name = await published(NEEDY);
        registry.publish(name, await aPackage(name, NEEDY), {}, await aPackage(name, saying(`'forged'`)));
        return name;
      },
      /another content than the registry says/,
    ],
    [
      'need a package that has other bytes than the registry says',
      async () => {
        const [whole, forged] = [await aPackage('needed', '1'), await aPackage('needed', '2')];
        registry.publish('needed', whole, {}, forged);
        return published(NEEDY, NEEDS);
      },
      /could not be installed: npm says EINTEGRITY/,
    ],
    [
      'need what needs a package from elsewhere',
      async () => {
        const stray = { dependencies: { stray: `${registry.url}stray.tgz` } };
        registry.publish('needed', await aPackage('needed', '1', stray), stray);
        return published(NEEDY, NEEDS);
      },
      /"needed" depends on "stray", which does not come from the registry/,
    ],
    [
      'come from a registry that is away',
      async () => {
        registry.isAway = true;
        return published(NEEDY);
      },
      /The registry cannot be reached/,
    ],
    [
      'come from a registry that breaks off',
      async () => {
        registry.sending = 'in part';
        return published(NEEDY);
      },
      /The registry broke off its answer/,
    ],
    [
      'need what does not load in any form',
      () => published(`require('absent');`, NEEDS),
      /Cannot find module 'absent'/,
    ],
  ])('are refused with a sentence when they %s, and leave nothing', async (_what, publish, sentence) => {
    const before = unpacked();
    const name = await publish();

    expect(await install(name)).toMatchObject({
      status: 422,
      body: { code: 'PIECE_NOT_INSTALLED', params: { message: expect.stringMatching(sentence) } },
    });

    expect(unpacked()).toEqual(before);
    expect(await storedFiles(name)).toBe(0);
  });

  it('are installed from a registry that is slow', async () => {
    const name = await published(NEEDY, NEEDS);
    registry.sending = 'slowly';

    expect(await install(name)).toMatchObject({ status: 201 });
  });

  const whereDisksAreMounted = mayMount() ? it : it.skip;
  whereDisksAreMounted('are refused while the disk is full, and installed when there is room', async () => {
    const name = `@e2e/piece-installed-${names++}`;
    const large = ['large.bin', randomBytes(4 * 1024 * 1024)] as const;
    registry.publish(name, await anArchive(aManifest(name), ['index.js', saying(`'large'`)], large));
    mkdirSync(place(), { recursive: true });
    mountDisk(place());
    try {
      expect(await install(name)).toMatchObject({
        status: 422,
        body: { params: { message: 'The worker has no room on its disk for the package.' } },
      });
      expect(unpacked()).toEqual([]);
    } finally {
      spawnSync('umount', [place()]);
    }

    expect(await install(name)).toMatchObject({ status: 201 });
  });

  it('are installed once by two workers', async () => {
    const other: ServiceProcess = await targets.service.startWorker({ npm_config_registry: registry.url });
    try {
      const wanted = [await published(NEEDY, NEEDS), await published(saying(`'plain'`)), await published(NEEDY)];
      const [first = '', second = ''] = wanted;

      const answers = await Promise.all([first, second, first, second].map(install));

      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(answers.map(({ body }) => body.integrity)).size).toBe(2);
      expect([await storedFiles(first), await storedFiles(second)]).toEqual([1, 1]);
    } finally {
      expect(await other.stop()).toBe(0);
    }
  });

  it.each([
    ['its archive', (name: string) => name],
    ['what it needs', () => 'needed'],
  ])('are installed after all when the worker is killed that fetches %s', async (_what, heldOf) => {
    const name = await published(NEEDY, NEEDS);
    const held = heldOf(name);
    const release = registry.hold(held);
    const answered = install(name);
    await registry.asked(held);

    targets.service.kill('worker');
    release();

    expect([201, 503]).toContain((await answered).status);
    await until('The installation', async () => {
      const { status } = await client().request('GET', `/pieces/${encodeURIComponent(name)}?version=1.0.0`);
      return status === 200 || undefined;
    });
    expect(await said(name)).toEqual({ said: 'first' });
    expect(unpacked().filter((each) => each.startsWith('.'))).toEqual([]);
    expect(commandLines().filter((line) => line.includes(place()))).toEqual([]);
    expect(await storedFiles(name)).toBe(1);
  });
});
