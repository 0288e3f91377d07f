import { type OutboundHttp, type PieceRef, type WantedPiece } from '@millrace/domain';
import { anId, aPrincipal, HandDrivenClock, InMemoryPiecePackages } from '@millrace/domain/testing';
import { BuiltInPieces, InstalledPieces, NoPackageCalls } from '@millrace/pieces';
import type { ProjectAccess } from '../auth/project-access';
import type { ApiSettings } from '../settings/config';
import type { PackageQuestions } from './package-questions';
import type { PiecesInFlows } from './pieces-in-flows';
import { UsablePackages } from './usable-packages';
import { PiecesService } from './pieces.service';

const NOTES = { name: '@acme/piece-notes', version: '1.9.0' };
const BUILT_IN = new BuiltInPieces().describe().map(({ name }) => name);
const NEWER = { ...NOTES, version: '1.10.0' };

function setUp(setting: ApiSettings['SVC_PIECE_PACKAGES'] = 'catalogue') {
  const packages = new InMemoryPiecePackages(new HandDrivenClock());
  const usable = new UsablePackages(packages, { SVC_PIECE_PACKAGES: setting });
  const pieces = new InstalledPieces(usable, new NoPackageCalls());
  const nothing = <Port>(): Port => ({}) as Port;
  const access = nothing<ProjectAccess>();
  const service = new PiecesService(
    pieces,
    usable,
    nothing<OutboundHttp>(),
    access,
    nothing<PiecesInFlows>(),
    nothing<PackageQuestions>(),
  );
  const install = async (ref: PieceRef, byAdmin = false) => {
    const wanted: WantedPiece = { ...ref, integrity: null, archiveId: null, byAdmin };
    const begun = await packages.want(wanted);
    if (begun.status !== 'pending') throw new Error('It was installed before.');
    const description = { displayName: `Notes ${ref.version}`, actions: {}, triggers: {} };
    const content = { integrity: 'sha512-first', archiveId: anId(), bytes: 1, description };
    await packages.settle({ ...wanted, ...begun }, { kind: 'installed', ...content });
  };
  return { service, packages, install };
}

describe('the pieces of an installation', () => {
  it('are the built-in ones and then the newest version of each package, page by page', async () => {
    const { service, install } = setUp();
    for (const ref of [NOTES, NEWER, { ...NOTES, name: '@acme/piece-mail' }]) await install(ref);
    const limit = BUILT_IN.length + 1;

    const first = await service.list(aPrincipal(), { limit });
    const second = await service.list(aPrincipal(), { limit, cursor: first.next ?? '' });

    const names = [...first.data, ...second.data].map(({ name }) => name);
    expect(names.toSorted()).toEqual([...BUILT_IN, '@acme/piece-mail', NOTES.name].toSorted());
    expect(second).toMatchObject({ data: [{ ...NEWER, displayName: 'Notes 1.10.0' }], next: null });
  });

  it('are read by name, in the newest version or in the one that is asked for', async () => {
    const { service, install } = setUp();
    await install(NOTES);
    await install(NEWER);

    expect(await service.read(NOTES.name)).toMatchObject(NEWER);
    expect(await service.read(NOTES.name, '1.9.0')).toMatchObject({ ...NOTES, displayName: 'Notes 1.9.0' });
    expect(await service.read(NOTES.name, '^1.9.0')).toMatchObject(NEWER);
    expect(await service.read('@activepieces/piece-http', '9.9.9')).toMatchObject({ name: 'http' });
  });

  it('are releases, unless a pre-release is named or nothing else is there', async () => {
    const { service, install } = setUp();
    const beta = { ...NOTES, version: '1.10.0-beta.1' };
    const early = { name: '@acme/piece-early', version: '0.1.0-rc.2' };
    for (const ref of [NOTES, beta, early]) await install(ref);

    const { data } = await service.list(aPrincipal(), { limit: 100 });

    expect(data.filter(({ name }) => name.startsWith('@'))).toMatchObject([early, NOTES]);
    expect(await service.read(NOTES.name)).toMatchObject(NOTES);
    expect(await service.newestInstalled(NOTES.name)).toEqual(NOTES);
    expect(await service.read(NOTES.name, '^1.9.0')).toMatchObject(NOTES);
    expect(await service.read(NOTES.name, beta.version)).toMatchObject(beta);
  });

  it('are with `admin` those that an administrator has installed', async () => {
    const { service, install } = setUp('admin');
    await install(NOTES, true);
    await install(NEWER);
    await install({ ...NOTES, name: '@acme/piece-mail' });

    const { data } = await service.list(aPrincipal(), { limit: 100 });

    expect(data.map(({ name }) => name).toSorted()).toEqual([...BUILT_IN, NOTES.name].toSorted());
    expect(await service.newestInstalled(NOTES.name)).toEqual(NOTES);
    expect(await service.newestInstalled('@acme/piece-mail')).toBeNull();
    expect(await service.read(NOTES.name)).toMatchObject(NOTES);
    await expect(service.read(NOTES.name, NEWER.version)).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
  });

  it('are unknown when they are not installed, or not any more', async () => {
    const { service, install, packages } = setUp();
    await install(NOTES);
    await service.read(NOTES.name);
    await packages.remove(NOTES);

    const unknown = { code: 'ENTITY_NOT_FOUND' };
    await expect(service.read(NOTES.name)).rejects.toMatchObject(unknown);
    await expect(service.read(NOTES.name, '1.9.0')).rejects.toMatchObject(unknown);
    await expect(service.read(NOTES.name, '~1.9.0')).rejects.toMatchObject(unknown);
    await expect(service.read('htpp')).rejects.toMatchObject(unknown);
  });
});
