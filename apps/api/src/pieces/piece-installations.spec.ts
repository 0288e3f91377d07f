import {
  actingAs,
  NO_PROJECT,
  PieceIntegrityError,
  PieceNotInstalledError,
  ServiceUnavailableError,
  type WantedPiece,
} from '@millrace/domain';
import { anId, HandDrivenClock, InMemoryPiecePackages } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { WorkingQueue, type Installs } from '../testing/working-queue';
import { PieceInstallations } from './piece-installations';

const WANTED: WantedPiece = { name: '@acme/piece-notes', version: '1.2.0', integrity: null, archiveId: null };
const NOBODY = { projectId: NO_PROJECT } as const;
const installed = {
  kind: 'installed',
  integrity: 'sha512-first',
  archiveId: anId(),
  bytes: 1,
  description: {},
} as const;

function setUp(installs: Installs, ms = 60_000) {
  const packages = new InMemoryPiecePackages(new HandDrivenClock());
  const queue = new WorkingQueue(packages, installs);
  return { packages, queue, installations: new PieceInstallations(packages, queue, { ms }), told: packages.told };
}

beforeAll(() => Logger.overrideLogger(false));

describe('PieceInstallations', () => {
  it('have a worker install a package, once', async () => {
    const { installations, queue, told } = setUp(() => installed);

    expect(await installations.install(WANTED)).toEqual({ isNew: true });
    expect(await installations.install(WANTED)).toEqual({ isNew: false });

    expect(queue.taken).toMatchObject([WANTED]);
    const { name: targetId, version } = WANTED;
    const details = { version, integrity: 'sha512-first' };
    expect(told).toMatchObject([
      { projectId: null, action: 'piece.installed', targetType: 'piece', targetId, details },
    ]);
  });

  it('are one for all who wait', async () => {
    const { installations, queue, told } = setUp(() => installed);

    await Promise.all([1, 2, 3].map(() => installations.install(WANTED)));

    expect(queue.taken).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  it('fail with the sentence of the worker, and are tried again by the next who wants the package', async () => {
    const problem = 'The registry has no package.';
    const endings = [{ kind: 'failed', code: 'PIECE_NOT_INSTALLED', problem } as const, installed];
    const { installations } = setUp(() => endings.shift() ?? null);

    const refused = installations.install(WANTED);
    await expect(refused).rejects.toBeInstanceOf(PieceNotInstalledError);
    await expect(refused).rejects.toThrow(problem);
    expect(await installations.install(WANTED)).toEqual({ isNew: true });
  });

  it('tell another content from other failures, whoever finds it', async () => {
    const other = { kind: 'failed', code: 'PIECE_INTEGRITY', problem: 'x' } as const;
    const endings = [other, installed];
    const { installations } = setUp(() => endings.shift() ?? null);

    await expect(installations.install(WANTED)).rejects.toBeInstanceOf(PieceIntegrityError);
    await installations.install(WANTED);
    const changed = installations.install({ ...WANTED, integrity: 'sha512-other' });
    await expect(changed).rejects.toBeInstanceOf(PieceIntegrityError);
  });

  it('wait for the duty that enqueues them again when the queue is away', async () => {
    const { installations, packages, queue } = setUp(() => installed);
    queue.fail();

    const installing = installations.install(WANTED);
    const begun = await packages.want(WANTED);
    queue.recover();
    if (begun.status === 'pending')
      await queue.enqueue([{ kind: 'PieceInstallationJob', rowId: begun.id, epoch: begun.epoch, data: NOBODY }]);

    expect(await installing).toEqual({ isNew: true });
  });

  it('are given up after a while, and say when to come back', async () => {
    const { installations, packages } = setUp(() => null, 60);

    const given = installations.install(WANTED);

    await expect(given).rejects.toBeInstanceOf(ServiceUnavailableError);
    await expect(given).rejects.toThrow(/No worker has installed @acme\/piece-notes 1\.2\.0 within 0\.06 s/);
    expect(await packages.want(WANTED)).toMatchObject({ status: 'pending', epoch: 1 });
  });

  it('are told with who asked, also when they outlast the request', async () => {
    const { installations, packages, queue, told } = setUp(() => null, 60);
    const ada = { actor: 'ada', address: '192.0.2.1' };
    const given = actingAs(ada, () => installations.install({ ...WANTED, byAdmin: true }));
    await expect(given).rejects.toBeInstanceOf(ServiceUnavailableError);
    expect(told).toEqual([]);

    const [claimed] = queue.taken;
    if (claimed) await packages.settle(claimed, installed);

    expect(told).toMatchObject([{ action: 'piece.installed', targetId: WANTED.name, ...ada }]);
  });

  it('end when the package is removed meanwhile', async () => {
    const { installations, packages, queue } = setUp(() => installed);
    const enqueue = queue.enqueue.bind(queue);
    queue.enqueue = async (jobs) => {
      await enqueue(jobs);
      await packages.remove(WANTED);
    };

    await expect(installations.install(WANTED)).rejects.toThrow('The package was removed meanwhile.');
  });
});
