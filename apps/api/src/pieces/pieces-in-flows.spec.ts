import { actingAs, type PieceRef, type WantedPiece } from '@millrace/domain';
import {
  aFlowVersion,
  anId,
  codeStep,
  HandDrivenClock,
  InMemoryPiecePackages,
  pieceStep,
} from '@millrace/domain/testing';
import { InstalledPieces, NoPackageCalls, PackageCatalogue } from '@millrace/pieces';
import { Logger } from '@nestjs/common';
import type { ApiSettings } from '../settings/config';
import { aCatalogueEntry } from '../testing/a-catalogue-entry';
import { WorkingQueue, type Installs } from '../testing/working-queue';
import { PieceInstallations } from './piece-installations';
import { UsablePackages } from './usable-packages';
import { PiecesInFlows } from './pieces-in-flows';

const NOTES = { name: '@acme/piece-notes', version: '1.2.0' };
const OFFERED = { name: '@acme/piece-offered', version: '0.10.2' };
const MANY = Array.from({ length: 12 }, (_, at) => ({ name: `@acme/piece-many-${at}`, version: '1.0.0' }));
const DESCRIPTION = { displayName: 'A piece', actions: { add: { displayName: 'Add', props: {} } }, triggers: {} };
const PROJECT = 'project_1';
const HALF_A_MINUTE = 30_000;

const content = (integrity: string | null) =>
  ({
    kind: 'installed',
    integrity: integrity ?? 'sha512-first',
    archiveId: anId(),
    bytes: 1,
    description: DESCRIPTION,
  }) as const;

interface Given {
  offers?: readonly PieceRef[];
  patienceMs?: number;
  setting?: ApiSettings['SVC_PIECE_PACKAGES'];
  installs?: Installs;
}

function setUp({ setting = 'catalogue', offers = [OFFERED], patienceMs = 60, ...given }: Given = {}) {
  const { installs = ({ integrity }) => content(integrity) } = given;
  jest
    .spyOn(PackageCatalogue, 'read')
    .mockResolvedValue(new PackageCatalogue(offers.map((each) => aCatalogueEntry(each))));
  const clock = new HandDrivenClock();
  const packages = new InMemoryPiecePackages(clock);
  const queue = new WorkingQueue(packages, installs);
  const usable = new UsablePackages(packages, { SVC_PIECE_PACKAGES: setting });
  const pieces = new InstalledPieces(usable, new NoPackageCalls());
  const installations = new PieceInstallations(packages, queue, { ms: patienceMs });
  const inFlows = new PiecesInFlows(pieces, packages, installations, clock, { SVC_PIECE_PACKAGES: setting });
  const reads = { list: jest.spyOn(packages, 'list'), find: jest.spyOn(packages, 'find') };
  const install = async (wanted: PieceRef & Pick<WantedPiece, 'byAdmin'>) => {
    const whole: WantedPiece = { integrity: null, archiveId: null, ...wanted };
    const begun = await packages.want(whole);
    if (begun.status !== 'pending') throw new Error('It was installed before.');
    await packages.settle({ ...whole, ...begun }, content(null));
  };
  return { clock, packages, queue, pieces, inFlows, reads, install };
}

function stepsOf(...refs: PieceRef[]) {
  const steps = refs.map(({ name: pieceName, version: pieceVersion }, at) => {
    const step = pieceStep(`step_${at}`, {});
    return { ...step, settings: { ...step.settings, pieceName, pieceVersion, actionName: 'add' } };
  });
  return aFlowVersion([...steps, codeStep('last', {})]).trigger;
}

beforeAll(() => Logger.overrideLogger(false));
afterEach(() => jest.restoreAllMocks());

describe('the packages that a flow names', () => {
  it('cost nothing where there are none', async () => {
    const { inFlows, reads } = setUp();
    const builtIn = stepsOf({ name: 'http', version: '0.1.0' }, { name: '@activepieces/piece-http', version: '9.9.9' });

    await inFlows.know(PROJECT, builtIn);
    await inFlows.knowMissing(PROJECT, builtIn);
    await inFlows.knowInstalled(builtIn);

    expect(reads.list).not.toHaveBeenCalled();
    expect(reads.find).not.toHaveBeenCalled();
    expect(PackageCatalogue.read).not.toHaveBeenCalled();
  });

  it('are read once for a check, however many there are', async () => {
    const { inFlows, reads, install, pieces } = setUp();
    const refs = Array.from({ length: 20 }, (_, at) => ({ ...NOTES, name: `${NOTES.name}-${at}` }));
    for (const ref of refs) await install(ref);

    await inFlows.know(PROJECT, stepsOf(...refs));

    expect(refs.every((ref) => pieces.isKnown(ref))).toBe(true);
    expect(reads.list).toHaveBeenCalledTimes(1);
    expect(reads.find).toHaveBeenCalledTimes(1);
  });

  it('are not read again by the check that follows', async () => {
    const { inFlows, reads, install } = setUp();
    await install(NOTES);
    const steps = stepsOf(NOTES, { name: '@acme/piece-missing', version: '1.0.0' });
    await inFlows.know(PROJECT, steps);
    jest.clearAllMocks();

    await inFlows.knowInstalled(steps);
    await inFlows.knowMissing(PROJECT, stepsOf(NOTES));

    expect(reads.list).not.toHaveBeenCalled();
  });

  it('are looked up under a lock without waiting for a worker', async () => {
    const { inFlows, install, pieces, queue } = setUp();
    await install(NOTES);

    await inFlows.knowInstalled(stepsOf(NOTES, OFFERED));

    expect(pieces.isKnown(NOTES)).toBe(true);
    expect(queue.taken).toEqual([]);
    expect(pieces.reasonForMissing(OFFERED.name, OFFERED.version)).toContain('is not installed');
    await inFlows.knowMissing(PROJECT, stepsOf(NOTES, OFFERED));
    expect(pieces.isKnown(OFFERED)).toBe(true);
  });

  it('are installed when the catalogue has them, with its hash, and once', async () => {
    const { inFlows, queue, pieces } = setUp();

    await Promise.all([inFlows.know(PROJECT, stepsOf(OFFERED)), inFlows.know(PROJECT, stepsOf(OFFERED, OFFERED))]);

    expect(queue.taken).toMatchObject([{ ...OFFERED, integrity: 'sha512-of-the-catalogue' }]);
    expect(pieces.findAction(OFFERED.name, OFFERED.version, 'add')).not.toBeNull();
  });

  it('are told in the audit log, with who saved the flow, when that had them installed', async () => {
    const { inFlows, packages } = setUp();
    const ada = { actor: 'ada', address: '192.0.2.1' };

    await actingAs(ada, () => inFlows.know(PROJECT, stepsOf(OFFERED, NOTES)));
    await inFlows.know(PROJECT, stepsOf(OFFERED));

    expect(packages.told).toMatchObject([{ action: 'piece.installed', targetId: OFFERED.name, ...ada }]);
  });

  it('may be named by a range that nothing fills, as public flows do, and then is that of the catalogue', async () => {
    const { inFlows, pieces } = setUp();

    await inFlows.know(PROJECT, stepsOf({ ...OFFERED, version: '~0.4.1' }));

    expect(pieces.findAction(OFFERED.name, '~0.4.1', 'add')?.pieceVersion).toBe(OFFERED.version);
  });

  it('may be named by a range, which an installed version or the catalogue fills', async () => {
    const { inFlows, install, pieces } = setUp();
    await install(NOTES);

    await inFlows.know(PROJECT, stepsOf({ ...NOTES, version: '^1.0.0' }, { ...OFFERED, version: '~0.10.0' }));

    expect(pieces.findAction(NOTES.name, '^1.0.0', 'add')).toMatchObject({ pieceVersion: '1.2.0' });
    expect(pieces.findAction(OFFERED.name, '~0.10.0', 'add')).toMatchObject({ pieceVersion: '0.10.2' });
  });

  it.each<[string, Given, PieceRef, string]>([
    [
      'is not installed',
      {},
      NOTES,
      'The package @acme/piece-notes 1.2.0 is not installed. An administrator can install it.',
    ],
    ['is no package by its name', {}, { name: 'htpp', version: '0.1.0' }, 'There is no piece htpp 0.1.0.'],
    [
      'has another version in the catalogue',
      {},
      { ...OFFERED, version: '9.0.0' },
      'There is no piece @acme/piece-offered 9.0.0; the catalogue has version 0.10.2.',
    ],
    [
      'only an administrator may install',
      { setting: 'admin' },
      OFFERED,
      'The package @acme/piece-offered 0.10.2 is not installed. An administrator can install it.',
    ],
    [
      'is switched off',
      { setting: 'off' },
      OFFERED,
      'There is no piece @acme/piece-offered 0.10.2: packages of pieces are switched off by SVC_PIECE_PACKAGES.',
    ],
    [
      'no worker could install',
      { installs: () => ({ kind: 'failed', code: 'PIECE_NOT_INSTALLED', problem: 'The registry is away.' }) },
      OFFERED,
      'The registry is away.',
    ],
    ['no worker installs in time', { installs: () => null }, OFFERED, 'No worker has installed @acme/piece-offered'],
  ])('say why one is missing that %s', async (_what, given, ref, reason) => {
    const { inFlows, pieces } = setUp(given);

    await inFlows.know(PROJECT, stepsOf(ref));

    expect(pieces.findAction(ref.name, ref.version, 'add')).toBeNull();
    expect(pieces.reasonForMissing(ref.name, ref.version)).toContain(reason);
  });

  it('are there also with `admin`, once an administrator has installed them', async () => {
    const { inFlows, pieces, install } = setUp({ setting: 'admin' });
    await install({ ...OFFERED, byAdmin: true });

    await inFlows.know(PROJECT, stepsOf(OFFERED));

    expect(pieces.isKnown(OFFERED)).toBe(true);
  });

  it('are missing with `admin` when somebody else has had them installed, until an administrator lets them in', async () => {
    const { inFlows, pieces, packages, install } = setUp({ setting: 'admin' });
    const [exact, range] = [NOTES, { ...NOTES, version: '^1.0.0' }];
    await install(NOTES);

    await inFlows.know(PROJECT, stepsOf(exact, range));

    const reason =
      'The package @acme/piece-notes 1.2.0 was not installed by an administrator, which SVC_PIECE_PACKAGES requires ' +
      'here. An administrator can install it.';
    for (const { name, version } of [exact, range]) {
      expect(pieces.findAction(name, version, 'add')).toBeNull();
      expect(pieces.reasonForMissing(name, version)).toBe(reason);
    }

    await packages.want({ ...NOTES, integrity: null, archiveId: null, byAdmin: true });
    await inFlows.know(PROJECT, stepsOf(exact, range));
    for (const { name, version } of [exact, range])
      expect(pieces.findAction(name, version, 'add')).toMatchObject({ pieceVersion: '1.2.0' });
  });

  it('are with `admin` in a version of an administrator, where a range means several', async () => {
    const { inFlows, pieces, install } = setUp({ setting: 'admin' });
    await install({ ...NOTES, byAdmin: true });
    await install({ ...NOTES, version: '1.3.0' });

    await inFlows.know(PROJECT, stepsOf({ ...NOTES, version: '^1.0.0' }));

    expect(pieces.findAction(NOTES.name, '^1.0.0', 'add')).toMatchObject({ pieceVersion: '1.2.0' });
  });

  it('are tried again after half a minute, or found when a worker was late', async () => {
    const endings = [{ kind: 'failed', code: 'PIECE_NOT_INSTALLED', problem: 'Away.' } as const, null];
    const { inFlows, queue, clock, install, pieces } = setUp({ installs: () => endings.shift() ?? null });
    await inFlows.know(PROJECT, stepsOf(OFFERED));
    await inFlows.know(PROJECT, stepsOf(OFFERED));
    expect(queue.taken).toHaveLength(1);

    clock.advance(HALF_A_MINUTE);
    await inFlows.know(PROJECT, stepsOf(OFFERED));
    expect(queue.taken).toHaveLength(2);
    await install({ ...OFFERED, version: '0.10.3' });
    await inFlows.know(PROJECT, stepsOf({ ...OFFERED, version: '~0.10.2' }));

    expect(pieces.findAction(OFFERED.name, '~0.10.2', 'add')).toMatchObject({ pieceVersion: '0.10.3' });
  });

  it('take no longer together than a request waits, and say of the rest that there was no time', async () => {
    const { inFlows, queue, pieces } = setUp({ offers: MANY, installs: () => null });

    await inFlows.know(PROJECT, stepsOf(...MANY));

    expect(queue.taken).toHaveLength(4);
    const reasons = MANY.map(({ name, version }) => pieces.reasonForMissing(name, version));
    const begun = reasons.filter((reason) => reason?.includes('No worker has installed'));
    const rest = reasons.filter((reason) => reason?.includes('There was no time to install'));
    expect([begun.length, rest.length]).toEqual([4, 8]);
  });

  it('are installed for a project while those of another one take long', async () => {
    const slow = new Set(MANY.map(({ name }) => name));
    const { inFlows, queue, pieces } = setUp({
      offers: [...MANY, OFFERED],
      installs: ({ name, integrity }) => (slow.has(name) ? null : content(integrity)),
      patienceMs: 400,
    });
    const long = inFlows.know(PROJECT, stepsOf(...MANY));
    await inFlows.know('project_2', stepsOf(OFFERED));

    expect(pieces.isKnown(OFFERED)).toBe(true);
    expect(queue.taken.map(({ name }) => name)).toEqual([...MANY.slice(0, 4).map(({ name }) => name), OFFERED.name]);
    await long;
  });

  it('are kept for a publication, which says of each step whose package was removed since its check', async () => {
    const { inFlows, install, packages } = setUp();
    await install(NOTES);
    await install({ ...NOTES, version: '1.3.0' });
    const steps = stepsOf(NOTES, { ...NOTES, version: '1.3.0' }, { ...NOTES, version: '9.0.0' });
    await inFlows.know(PROJECT, steps);
    const keepPackages = jest.fn(async (refs: readonly PieceRef[]) => packages.find(refs));

    expect(await inFlows.keep(steps, { keepPackages })).toEqual([]);
    await packages.remove(NOTES);

    const message = 'The package @acme/piece-notes 1.2.0 was removed meanwhile.';
    expect(await inFlows.keep(steps, { keepPackages })).toEqual([{ stepName: 'step_0', message }]);
    keepPackages.mockClear();
    expect(await inFlows.keep(stepsOf({ name: 'http', version: '0.1.0' }), { keepPackages })).toEqual([]);
    expect(keepPackages).not.toHaveBeenCalled();
  });

  it('are missed at the next change of the flow when somebody has removed them', async () => {
    const { inFlows, pieces, packages, install } = setUp();
    await install(NOTES);
    await inFlows.know(PROJECT, stepsOf(NOTES));
    await packages.remove(NOTES);

    await inFlows.know(PROJECT, stepsOf(NOTES));

    expect(pieces.reasonForMissing(NOTES.name, NOTES.version)).toContain('1.2.0 is not installed.');
  });
});
