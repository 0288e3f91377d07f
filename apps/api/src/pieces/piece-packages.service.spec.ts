import { actingAs, NO_PROJECT, type InstallationEnding, type PieceRef, type StoredFile } from '@millrace/domain';
import { anId, HandDrivenClock, InMemoryFileStore, InMemoryPiecePackages } from '@millrace/domain/testing';
import { StoredArchives } from '@millrace/persistence';
import { InstalledPieces, NoPackageCalls, PackageCatalogue } from '@millrace/pieces';
import { Logger } from '@nestjs/common';
import type { ApiSettings } from '../settings/config';
import { aCatalogueEntry } from '../testing/a-catalogue-entry';
import { WorkingQueue, type Installs } from '../testing/working-queue';
import { PieceInstallations } from './piece-installations';
import { PiecePackagesService } from './piece-packages.service';
import { UsablePackages } from './usable-packages';
import { PiecesInFlows } from './pieces-in-flows';

const NOTES = { name: '@acme/piece-notes', version: '1.2.0' };
const JOB = { kind: 'PieceInstallationJob', data: { projectId: NO_PROJECT } } as const;
const DESCRIPTION = { displayName: 'Notes', actions: { add: { displayName: 'Add', props: {} } }, triggers: {} };
const SENT_HASH = 'sha512-of-the-registry';

/** An archive with these files, as the service reads it: the library is loaded when the first one comes. */
async function anArchive(manifest: object | null, ...files: string[]): Promise<Buffer> {
  const { aManifest, anArchive: archiveOf } = await import('@millrace/piece-hosts/testing');
  const entries = files.map((name): [string, string] => [`package/${name}`, '']);
  return archiveOf(...(manifest ? [aManifest(manifest)] : []), ...entries);
}

const anArchiveOf = (ref: PieceRef, ...more: string[]): Promise<Buffer> =>
  anArchive({ ...ref, main: 'index.js' }, 'index.js', ...more);

/** A worker that finds nothing wrong. */
const installsAll: Installs = ({ integrity, archiveId }) => ({
  kind: 'installed',
  integrity: integrity ?? SENT_HASH,
  archiveId: archiveId ?? anId(),
  bytes: 1,
  description: DESCRIPTION,
});
const installsNothing: Installs = () => ({ kind: 'failed', code: 'PIECE_NOT_INSTALLED', problem: 'It has no piece.' });

interface Given {
  setting?: ApiSettings['SVC_PIECE_PACKAGES'];
  installs?: Installs;
  entries?: PackageCatalogue;
}

function setUp({ setting = 'catalogue', installs = installsAll, entries = new PackageCatalogue([]) }: Given = {}) {
  jest.spyOn(PackageCatalogue, 'read').mockResolvedValue(entries);
  const clock = new HandDrivenClock();
  const packages = new InMemoryPiecePackages(clock);
  const queue = new WorkingQueue(packages, installs);
  const settings = { SVC_PIECE_PACKAGES: setting };
  const pieces = new InstalledPieces(new UsablePackages(packages, settings), new NoPackageCalls());
  const installations = new PieceInstallations(packages, queue, { ms: 60 });
  const inFlows = new PiecesInFlows(pieces, packages, installations, clock, settings);
  const files = new InMemoryFileStore();
  const stored: StoredFile['id'][] = [];
  const write = files.write.bind(files);
  files.write = (file, content) => (stored.push(file.id), write(file, content));
  const service = new PiecePackagesService(
    packages,
    pieces,
    installations,
    inFlows,
    new StoredArchives(files),
    settings,
  );
  /** The stored archives that are still there. */
  const kept = async () => {
    const found = await Promise.all(stored.map((id) => files.find(id, [NO_PROJECT])));
    return found.flatMap((file) => (file === null ? [] : [file]));
  };
  return { service, packages, queue, told: packages.told, kept };
}

beforeAll(() => Logger.overrideLogger(false));
afterEach(() => jest.restoreAllMocks());

describe('a package that an administrator installs', () => {
  it('is described, and told in the audit log, once', async () => {
    const { service, told } = setUp();

    const first = await service.installNamed(NOTES);

    expect(first).toMatchObject({ ...NOTES, displayName: 'Notes', integrity: SENT_HASH, isNew: true });
    expect(first.actions['add']).toMatchObject({ displayName: 'Add' });
    expect(await service.installNamed(NOTES)).toEqual({ ...first, isNew: false });
    const details = { version: NOTES.version, integrity: SENT_HASH };
    expect(told).toMatchObject([
      { projectId: null, action: 'piece.installed', targetType: 'piece', targetId: NOTES.name, details },
    ]);
  });

  it('must have the hash of the catalogue', async () => {
    const entries = new PackageCatalogue([aCatalogueEntry(NOTES)]);
    const { service, queue } = setUp({ entries });

    await service.installNamed(NOTES);

    expect(queue.taken).toMatchObject([{ integrity: 'sha512-of-the-catalogue' }]);
  });

  it('must have the hash of the catalogue as an archive, too', async () => {
    const { integrityOf } = await import('@millrace/piece-hosts');
    const archive = await anArchiveOf(NOTES);
    const entry = { ...aCatalogueEntry(NOTES), integrity: integrityOf(archive) };
    const { service, kept } = setUp({ entries: new PackageCatalogue([entry]) });

    const refusal = { code: 'PIECE_INTEGRITY', params: NOTES };
    await expect(service.installArchive(await anArchiveOf(NOTES, 'other.js'))).rejects.toMatchObject(refusal);
    expect(await kept()).toEqual([]);
    expect(await service.installArchive(archive)).toMatchObject({ isNew: true });
  });

  it('may be sent as an archive, which is kept', async () => {
    const { integrityOf } = await import('@millrace/piece-hosts');
    const { service, kept } = setUp();
    const archive = await anArchiveOf(NOTES);

    const made = await service.installArchive(archive);

    expect(made).toMatchObject({ ...NOTES, integrity: integrityOf(archive), isNew: true });
    expect(await kept()).toMatchObject([
      { type: 'PACKAGE_ARCHIVE', name: '@acme-piece-notes-1.2.0.tgz', bytes: archive.length },
    ]);
  });

  it('is kept once when it is sent again', async () => {
    const { service, kept, told } = setUp();
    const archive = await anArchiveOf(NOTES);
    await service.installArchive(archive);

    expect(await service.installArchive(archive)).toMatchObject({ isNew: false });

    expect(await kept()).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  it('has one content for ever, also after its removal', async () => {
    const { service, kept } = setUp();
    await service.installArchive(await anArchiveOf(NOTES));
    const other = await anArchiveOf(NOTES, 'other.js');

    await expect(service.installArchive(other)).rejects.toMatchObject({ code: 'PIECE_INTEGRITY' });
    expect(await kept()).toHaveLength(1);
    await service.remove(NOTES.name, NOTES.version);
    await expect(service.installArchive(other)).rejects.toMatchObject({ code: 'PIECE_INTEGRITY' });
    expect(await kept()).toEqual([]);
  });

  it('has another content for the registry than for this installation', async () => {
    const endings: InstallationEnding[] = [{ kind: 'failed', code: 'PIECE_INTEGRITY', problem: 'Other.' }];
    const { service } = setUp({ installs: () => endings.shift() ?? null });

    await expect(service.installNamed(NOTES)).rejects.toMatchObject({ code: 'PIECE_INTEGRITY', params: NOTES });
  });

  it.each<[string, () => Promise<Buffer | undefined>, string]>([
    ['nothing', async () => undefined, 'The archive is damaged, or is none.'],
    ['a text', async () => Buffer.from('no archive'), 'The archive is damaged, or is none.'],
    ['no manifest', () => anArchive(null, 'index.js'), 'The archive has no package.json.'],
    ['no name', () => anArchive({ version: '1.0.0' }), 'The package.json of the archive has no name'],
    ['no version', () => anArchive({ name: 'x' }), 'The package.json of x has no exact version.'],
    ['a name of a built-in piece', () => anArchiveOf({ ...NOTES, name: 'http' }), 'is the name of a piece that comes'],
    [
      'a public name of one',
      () => anArchiveOf({ ...NOTES, name: '@activepieces/piece-http' }),
      'is the name of a piece that comes',
    ],
  ])('is refused when it is sent as %s', async (_what, archive, message) => {
    const { service, kept, queue } = setUp();

    await expect(service.installArchive(await archive())).rejects.toMatchObject({
      code: 'VALIDATION',
      params: { errors: [{ message: expect.stringContaining(message) }] },
    });
    expect([await kept(), queue.taken]).toEqual([[], []]);
  });

  it('leaves nothing when a worker cannot install it', async () => {
    const { service, kept, told, packages } = setUp({ installs: installsNothing });

    const refused = service.installArchive(await anArchiveOf(NOTES));

    await expect(refused).rejects.toMatchObject({ code: 'PIECE_NOT_INSTALLED', message: 'It has no piece.' });
    expect([await kept(), told, await packages.list()]).toEqual([[], [], []]);
  });

  it('keeps its archive for a worker that comes later, once, however often it is sent', async () => {
    const { service, kept } = setUp({ installs: () => null });

    const archive = await anArchiveOf(NOTES);

    for (let i = 0; i < 2; i++) {
      await expect(service.installArchive(archive)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(await kept()).toHaveLength(1);
    }
  });

  it('is taken from its archive while a flow that was saved has a worker ask a registry that is away', async () => {
    const { service, packages, kept } = setUp({
      installs: (claimed) => (claimed.archiveId ? installsAll(claimed) : null),
    });
    await packages.want({ ...NOTES, integrity: null, archiveId: null });

    expect(await service.installArchive(await anArchiveOf(NOTES))).toMatchObject({ isNew: true });

    expect(await packages.find([NOTES])).toMatchObject([{ archiveId: (await kept())[0]?.id }]);
  });

  it.each<[string, (service: PiecePackagesService, archive: Buffer) => Promise<{ isNew: boolean }>]>([
    ['by its name', (service) => service.installNamed(NOTES)],
    ['by its archive', (service, archive) => service.installArchive(archive)],
  ])('is let in %s when a flow had it installed before', async (_how, letIn) => {
    const { integrityOf } = await import('@millrace/piece-hosts');
    const archive = await anArchiveOf(NOTES);
    const entry = { ...aCatalogueEntry(NOTES), integrity: integrityOf(archive) };
    const { service, packages, queue, told, kept } = setUp({
      setting: 'admin',
      entries: new PackageCatalogue([entry]),
    });
    const installed = async () => (await service.catalogue({})).data.map((each) => each.installed);
    const begun = await packages.want({ ...NOTES, integrity: entry.integrity, archiveId: null });
    if (begun.status === 'pending') await queue.enqueue([{ ...JOB, rowId: begun.id, epoch: begun.epoch }]);
    expect([await packages.find([NOTES]), await installed()]).toMatchObject([[{ installedByAdmin: false }], [false]]);

    const ada = { actor: 'ada', address: '192.0.2.1' };
    expect(await actingAs(ada, () => letIn(service, archive))).toMatchObject({ ...NOTES, isNew: false });

    expect([await packages.find([NOTES]), await installed()]).toMatchObject([[{ installedByAdmin: true }], [true]]);
    expect(told.map(({ action, actor }) => [action, actor])).toEqual([
      ['piece.installed', 'service'],
      ['piece.installed', 'ada'],
    ]);
    expect(await kept()).toEqual([]);
  });

  it('is refused where packages are switched off, and not with `admin`', async () => {
    const off = setUp({ setting: 'off' });
    const refusal = { code: 'PIECE_NOT_INSTALLED', message: expect.stringContaining('switched off') as string };

    await expect(off.service.installNamed(NOTES)).rejects.toMatchObject(refusal);
    await expect(off.service.installArchive(await anArchiveOf(NOTES))).rejects.toMatchObject(refusal);
    expect(await off.kept()).toEqual([]);
    expect(await setUp({ setting: 'admin' }).service.installNamed(NOTES)).toMatchObject({ isNew: true });
  });
});

describe('a package that an administrator removes', () => {
  it('is gone with its archive, and told in the audit log', async () => {
    const { service, kept, told, packages } = setUp();
    await service.installArchive(await anArchiveOf(NOTES));

    await service.remove(NOTES.name, undefined);

    expect([await kept(), await packages.list()]).toEqual([[], []]);
    expect(told.at(-1)).toMatchObject({ action: 'piece.removed', targetId: NOTES.name, details: { version: '1.2.0' } });
    await expect(service.remove(NOTES.name, undefined)).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
  });

  it('must be named by its version when several are installed', async () => {
    const { service } = setUp();
    await service.installNamed(NOTES);
    await service.installNamed({ ...NOTES, version: '1.3.0' });

    const message = 'must be one of 1.2.0, 1.3.0, because several are installed.';
    await expect(service.remove(NOTES.name, undefined)).rejects.toMatchObject({
      code: 'VALIDATION',
      params: { errors: [{ path: '/version', message }] },
    });
  });

  it('stays while a published flow names it', async () => {
    const { service, packages, kept, told } = setUp();
    await service.installArchive(await anArchiveOf(NOTES));
    packages.published.push(NOTES);

    await expect(service.remove(NOTES.name, NOTES.version)).rejects.toMatchObject({ code: 'PIECE_IN_USE' });
    expect([(await kept()).length, told.length]).toEqual([1, 1]);
  });
});

describe('the catalogue of packages', () => {
  const entryOf = (name: string, version = '1.0.0', category = 'PRODUCTIVITY') =>
    aCatalogueEntry({ name, version }, { categories: [category], description: `About ${name}.` });
  const namesOf = ({ data }: { data: readonly PieceRef[] }) => data.map(({ name }) => name);

  it('is found by text and category, and says what is installed', async () => {
    const entries = new PackageCatalogue([
      entryOf(NOTES.name, '2.0.0'),
      entryOf('@acme/piece-mail', '1.0.0', 'MARKETING'),
      entryOf('@acme/piece-sheets'),
    ]);
    const { service } = setUp({ entries });
    await service.installNamed(NOTES); // another version than that of the catalogue
    await service.installNamed({ name: '@acme/piece-sheets', version: '1.0.0' });

    const { data } = await service.catalogue({});

    expect(data.map(({ name, installed }) => [name, installed])).toEqual([
      [NOTES.name, false],
      ['@acme/piece-mail', false],
      ['@acme/piece-sheets', true],
    ]);
    expect(namesOf(await service.catalogue({ search: 'About @ACME/piece-m' }))).toEqual(['@acme/piece-mail']);
    expect(namesOf(await service.catalogue({ category: 'MARKETING' }))).toEqual(['@acme/piece-mail']);
    expect(namesOf(await service.catalogue({ category: 'MARKETING', search: 'notes' }))).toEqual([]);
  });

  it('leaves out what a built-in piece stands for, which no flow can use', async () => {
    const entries = new PackageCatalogue([entryOf('@activepieces/piece-store'), entryOf(NOTES.name)]);

    expect(namesOf(await setUp({ entries }).service.catalogue({}))).toEqual([NOTES.name]);
  });

  it('is read page by page, 1,000 packages within 20 ms', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `@acme/piece-${String(at).padStart(4, '0')}`);
    const { service } = setUp({ entries: new PackageCatalogue(names.map((name) => entryOf(name))) });
    const read: string[] = [];
    const lasted: number[] = [];

    for (let cursor: string | null | undefined; cursor !== null;) {
      const begun = performance.now();
      const page = await service.catalogue({ search: 'ABOUT', limit: 100, ...(cursor && { cursor }) });
      lasted.push(performance.now() - begun);
      read.push(...namesOf(page));
      cursor = page.next;
    }

    expect(read).toEqual(names);
    expect(lasted.toSorted((a, b) => a - b)[4]).toBeLessThan(20);
  });

  it('refuses the cursor of another search', async () => {
    const entries = new PackageCatalogue([entryOf(NOTES.name), entryOf('@acme/piece-mail')]);
    const { service } = setUp({ entries });
    const { next } = await service.catalogue({ limit: 1 });

    await expect(service.catalogue({ limit: 1, cursor: next ?? '', search: 'x' })).rejects.toMatchObject({
      code: 'VALIDATION',
    });
  });
});
