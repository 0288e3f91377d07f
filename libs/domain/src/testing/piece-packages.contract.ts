import type { AuditActor, NewAuditEvent } from '../audit/audit-event';
import { actingAs } from '../audit/current-actor';
import { EntityNotFoundError } from '../errors/entity-not-found.error';
import { PieceInUseError } from '../errors/piece-in-use.error';
import { PieceIntegrityError } from '../errors/piece-integrity.error';
import {
  FIRST_JOB_SECONDS,
  INSTALLATION_SECONDS,
  MOST_INSTALLATION_ATTEMPTS,
  NO_WORKER_FINISHED,
  type ClaimedPiece,
  type InstallationEnding,
  type PiecePackages,
  type PieceRef,
  type WantedPiece,
} from '../pieces/piece-package';
import { anId } from './an-id';

export interface PiecePackagesUnderTest {
  readonly packages: PiecePackages;
  /** Lets the deadlines of installations come nearer. */
  passTime(seconds: number): Promise<void>;
  /** What the audit log tells of the packages of this name, in order. */
  told(name: string): Promise<readonly (NewAuditEvent & AuditActor)[]>;
  /** Publishes a flow with a step of this package. */
  publishFlow(ref: PieceRef): Promise<void>;
}

const MANY = 1_000;
const FAILURE = { kind: 'failed', code: 'PIECE_NOT_INSTALLED', problem: 'The archive is broken.' } as const;

const aWantedPiece = (more: Partial<WantedPiece> = {}): WantedPiece => ({
  name: `@acme/piece-${anId()}`,
  version: '1.0.0',
  integrity: null,
  archiveId: null,
  ...more,
});

const anInstallation = (more: Partial<Extract<InstallationEnding, { kind: 'installed' }>> = {}) => ({
  kind: 'installed' as const,
  integrity: 'sha512-first',
  archiveId: anId(),
  bytes: 5_000_000_000,
  description: { name: 'odd', text: 'nul \0, lone \ud800, pair 😀', list: [1, null] } as unknown,
  ...more,
});

/** The promises of every PiecePackages. `subject` returns the same subject each time. */
export function describePiecePackages(name: string, subject: () => PiecePackagesUnderTest): void {
  const all = () => subject().packages;

  /** Wants a package that is not installed. */
  async function want(wanted: WantedPiece): Promise<{ id: string; epoch: number }> {
    const answer = await all().want(wanted);
    if (answer.status !== 'pending') throw new Error(`The package is ${answer.status}.`);
    return answer;
  }

  async function claim({ id, epoch }: { id: string; epoch: number }): Promise<ClaimedPiece> {
    const claimed = await all().claim(id, epoch);
    if (!claimed) throw new Error('The installation cannot be claimed.');
    return claimed;
  }

  const claimWanted = async (wanted: WantedPiece) => claim(await want(wanted));
  async function install(wanted: WantedPiece, ending: InstallationEnding = anInstallation()): Promise<string> {
    const claimed = await claimWanted(wanted);
    expect(await all().settle(claimed, ending)).toBe(true);
    return claimed.id;
  }
  /** Wants a package that as many workers as may have begun. */
  async function claimOften(wanted: WantedPiece): Promise<ClaimedPiece> {
    let claimed = await claimWanted(wanted);
    for (let attempt = 1; attempt < MOST_INSTALLATION_ATTEMPTS; attempt++) {
      await subject().passTime(INSTALLATION_SECONDS + 1);
      const [due = { id: '', epoch: 0 }] = await dueOf(claimed.id);
      claimed = await claim(due);
    }
    return claimed;
  }
  const dueOf = async (id: string) => (await all().claimDue(MANY)).filter((due) => due.id === id);

  describe(name, () => {
    describe('what is wanted', () => {
      it('is pending, and neither found nor listed', async () => {
        const wanted = aWantedPiece();

        const { id, epoch } = await want(wanted);

        expect(epoch).toBe(1);
        expect(await all().installation(id)).toEqual({ status: 'pending', id, epoch });
        expect(await all().find([wanted])).toEqual([]);
        expect(await all().list()).not.toContainEqual(expect.objectContaining({ id }));
      });

      it('is one row for all who want it', async () => {
        const wanted = aWantedPiece();

        const first = await want(wanted);

        expect(await want(wanted)).toEqual(first);
        expect((await want({ ...wanted, version: '1.0.1' })).id).not.toBe(first.id);
      });

      it('is claimed with what its archive must be', async () => {
        const sent = aWantedPiece({ integrity: 'sha512-sent', archiveId: anId() });
        const { id, epoch } = await want(sent);

        expect(await all().claim(id, epoch)).toEqual({ ...sent, id, epoch, lock: null, byAdmin: false });
        expect(await all().claim(id, epoch + 1)).toBeNull();
        expect(await all().claim(anId(), 1)).toBeNull();
      });

      it('must have one hash', async () => {
        const wanted = aWantedPiece();
        const pending = await want(wanted);

        await want({ ...wanted, integrity: 'sha512-second' });

        await expect(all().want({ ...wanted, integrity: 'sha512-third' })).rejects.toBeInstanceOf(PieceIntegrityError);
        const claimed = await claim(pending);
        expect(claimed.integrity).toBe('sha512-second');
        await expect(all().settle(claimed, anInstallation())).rejects.toBeInstanceOf(PieceIntegrityError);
        expect(await all().installation(pending.id)).toEqual({ status: 'pending', ...pending });
      });

      it('is taken from an archive that somebody sends meanwhile, under a new epoch', async () => {
        const wanted = aWantedPiece({ integrity: 'sha512-first' });
        const late = await claimWanted(wanted);
        const sent = { ...wanted, archiveId: anId() };

        const taken = await want(sent);

        expect(taken).toEqual({ status: 'pending', id: late.id, epoch: late.epoch + 1 });
        expect(await all().settle(late, FAILURE)).toBe(false);
        expect(await want(wanted)).toEqual(taken);
        const second = { ...sent, archiveId: anId() };
        expect(await want(second)).toEqual(taken);
        expect(await claim(taken)).toMatchObject(sent);
        expect(await all().awaitsArchive(sent.archiveId)).toBe(true);
        expect(await all().awaitsArchive(second.archiveId)).toBe(false);
        await all().settle(taken, anInstallation());
        expect(await all().awaitsArchive(sent.archiveId)).toBe(false);
      });

      it('is tried as often with the sent archive, however often it was tried without', async () => {
        const wanted = aWantedPiece();
        await claimOften(wanted);

        const taken = await want({ ...wanted, integrity: 'sha512-sent', archiveId: anId() });

        expect(await dueOf(taken.id)).toEqual([]);
        expect(await claim(taken)).toMatchObject({ integrity: 'sha512-sent' });
      });

      it('is unknown under any other id', async () => {
        expect(await all().installation(anId())).toEqual({ status: 'gone' });
        expect(await all().installation('no id')).toEqual({ status: 'gone' });
      });
    });

    describe('what is installed', () => {
      it('is found, with its description to the last character', async () => {
        const wanted = aWantedPiece();
        const ending = anInstallation();
        const { kind: _kind, ...content } = ending;

        const id = await install(wanted, ending);

        const { name: pieceName, version } = wanted;
        const found = await all().find([aWantedPiece(), wanted, wanted, { ...wanted, version: '1.0.1' }]);
        const unbuilt = { ...content, builtIntegrity: null, installedByAdmin: false };
        expect(found).toEqual([{ id, name: pieceName, version, ...unbuilt, created: expect.any(Date) }]);
        expect(await all().installation(id)).toEqual({ status: 'installed', id, isNew: true });
      });

      it('is not looked for under names that no package can have', async () => {
        expect(await all().find([{ name: 'nul \0', version: '\ud800' }])).toEqual([]);
        expect(await all().find([])).toEqual([]);
      });

      it('is listed by name and then by version, without its description', async () => {
        const piece = `@acme/${anId()}`;
        for (const [suffix, version] of [
          ['b', '1.0.0'],
          ['a', '2.0.0'],
          ['a', '1.0.0'],
          ['B', '1.0.0'],
        ] as const)
          await install(aWantedPiece({ name: `${piece}-${suffix}`, version }));

        const listed = (await all().list()).filter((found) => found.name.startsWith(piece));

        expect(listed.map((found) => `${found.name.slice(piece.length)} ${found.version}`)).toEqual([
          '-B 1.0.0',
          '-a 1.0.0',
          '-a 2.0.0',
          '-b 1.0.0',
        ]);
        expect(listed[0]).not.toHaveProperty('description');
        expect(listed[0]).toMatchObject({ bytes: 5_000_000_000, integrity: 'sha512-first' });
      });

      it('need not be wanted again', async () => {
        const wanted = aWantedPiece();
        const id = await install(wanted);

        expect(await all().want(wanted)).toEqual({ status: 'installed', id, isNew: false });
        expect(await all().claim(id, 1)).toBeNull();
      });

      it('keeps its hash for ever', async () => {
        const wanted = aWantedPiece();
        const other = { ...wanted, integrity: 'sha512-other' };
        await install(wanted);
        await expect(all().want(other)).rejects.toBeInstanceOf(PieceIntegrityError);

        await all().remove(wanted);

        await expect(all().want(other)).rejects.toBeInstanceOf(PieceIntegrityError);
        const claimed = await claimWanted(wanted);
        expect(claimed.integrity).toBe('sha512-first');
        const changed = anInstallation({ integrity: 'sha512-other' });
        await expect(all().settle(claimed, changed)).rejects.toBeInstanceOf(PieceIntegrityError);
        await all().settle(claimed, FAILURE);
        await expect(all().want(other)).rejects.toBeInstanceOf(PieceIntegrityError);
      });
    });

    describe('what an administrator wants', () => {
      const isOfAdmin = async (ref: PieceRef) => (await all().find([ref]))[0]?.installedByAdmin;

      it("is an administrator's once it is installed, whoever wants it too", async () => {
        const [first, meanwhile, later] = [aWantedPiece(), aWantedPiece(), aWantedPiece()];
        await want({ ...first, byAdmin: true });
        await install(first);
        await want(meanwhile);
        await install({ ...meanwhile, byAdmin: true });
        const id = await install(later);
        expect(await isOfAdmin(later)).toBe(false);

        expect(await all().want({ ...later, byAdmin: true })).toEqual({ status: 'installed', id, isNew: false });

        for (const wanted of [first, meanwhile, later]) {
          await all().want(wanted);
          expect(await isOfAdmin(wanted)).toBe(true);
          expect(await all().list()).toContainEqual(
            expect.objectContaining({ name: wanted.name, installedByAdmin: true }),
          );
        }
      });

      it('is not taken over with an archive by somebody else', async () => {
        const wanted = aWantedPiece();
        await want({ ...wanted, byAdmin: true });

        expect(await claimWanted({ ...wanted, archiveId: anId() })).toMatchObject({ byAdmin: true });
        await install(wanted);

        expect(await isOfAdmin(wanted)).toBe(true);
      });

      it("is nobody's any more after a failure or a removal", async () => {
        const [failed, removed] = [aWantedPiece(), aWantedPiece()];
        await all().settle(await claimWanted({ ...failed, byAdmin: true }), FAILURE);
        await install({ ...removed, byAdmin: true });
        await all().remove(removed);

        for (const wanted of [failed, removed]) {
          await install(wanted);
          expect(await isOfAdmin(wanted)).toBe(false);
        }
      });

      it('is not let in with another content', async () => {
        const wanted = aWantedPiece();
        await install(wanted);

        const other = { ...wanted, integrity: 'sha512-other', byAdmin: true };
        await expect(all().want(other)).rejects.toBeInstanceOf(PieceIntegrityError);

        expect(await isOfAdmin(wanted)).toBe(false);
      });
    });

    describe('the audit log', () => {
      const adaBy: AuditActor = { actor: 'ada', address: '192.0.2.1' };
      const rootBy: AuditActor = { actor: 'root', address: '192.0.2.2' };
      const toldOf = async ({ name: targetId }: PieceRef) =>
        (await subject().told(targetId)).map(({ action, actor, address }) => [action, actor, address]);

      it('tells once who wanted what is installed, with its hash, whoever settles it', async () => {
        const wanted = aWantedPiece();
        await actingAs(adaBy, () => all().want(wanted));
        await actingAs(rootBy, () => all().want(wanted));
        expect(await toldOf(wanted)).toEqual([]);

        await install(wanted);
        await actingAs(rootBy, () => all().want(wanted));

        expect(await subject().told(wanted.name)).toMatchObject([
          {
            ...{ projectId: null, action: 'piece.installed', targetType: 'piece', targetId: wanted.name, ...adaBy },
            details: { version: wanted.version, integrity: 'sha512-first' },
          },
        ]);
      });

      it.each<[string, Partial<WantedPiece>]>([
        ['', {}],
        [' with an archive', { archiveId: anId() }],
      ])('tells of the administrator who has wanted it since%s', async (_how, sent) => {
        const wanted = aWantedPiece();
        await actingAs(adaBy, () => all().want(wanted));
        await actingAs(rootBy, () => all().want({ ...wanted, ...sent, byAdmin: true }));
        await actingAs(adaBy, () => all().want({ ...wanted, byAdmin: true }));

        await install(wanted);

        expect(await toldOf(wanted)).toEqual([['piece.installed', 'root', '192.0.2.2']]);
      });

      it('tells who lets in what is installed, who removes it, and who wants it anew', async () => {
        const wanted = aWantedPiece();
        await actingAs(adaBy, () => install(wanted));
        for (let i = 0; i < 2; i++) await actingAs(rootBy, () => all().want({ ...wanted, byAdmin: true }));
        await actingAs(rootBy, () => all().remove(wanted));
        await actingAs(adaBy, () => all().want(wanted));
        await install(wanted);

        expect(await toldOf(wanted)).toEqual([
          ['piece.installed', 'ada', '192.0.2.1'],
          ['piece.installed', 'root', '192.0.2.2'],
          ['piece.removed', 'root', '192.0.2.2'],
          ['piece.installed', 'ada', '192.0.2.1'],
        ]);
      });

      it('tells nothing of what was not installed', async () => {
        const [failed, late] = [aWantedPiece(), aWantedPiece()];
        await all().settle(await claimWanted(failed), FAILURE);
        const claimed = await claimWanted(late);
        await subject().passTime(INSTALLATION_SECONDS + 1);
        await dueOf(claimed.id);
        await all().settle(claimed, anInstallation());

        expect([await toldOf(failed), await toldOf(late)]).toEqual([[], []]);
      });

      it('tells of the service when nobody asked', async () => {
        const wanted = aWantedPiece();
        await install(wanted);
        expect(await toldOf(wanted)).toEqual([['piece.installed', 'service', null]]);
      });
    });

    describe('what was built of a package that needs others', () => {
      const builtOf = (integrity: string, lock: string) => anInstallation({ built: { integrity, lock } });

      it('is what its stored archive is', async () => {
        const wanted = aWantedPiece();

        await install(wanted, builtOf('sha512-built', 'lock'));

        expect(await all().find([wanted])).toMatchObject([
          { integrity: 'sha512-first', builtIntegrity: 'sha512-built' },
        ]);
      });

      it('is built again by the lock file of the first installation, also after a removal', async () => {
        const wanted = aWantedPiece();
        await install(wanted, builtOf('sha512-built', 'first'));
        await all().remove(wanted);

        const claimed = await claimWanted(wanted);
        expect(claimed.lock).toBe('first');
        await all().settle(claimed, builtOf('sha512-again', 'second'));
        expect(await all().find([wanted])).toMatchObject([{ builtIntegrity: 'sha512-again' }]);

        await all().remove(wanted);
        expect((await claimWanted(wanted)).lock).toBe('first');
      });
    });

    describe('what has failed', () => {
      it('says why, and is wanted anew', async () => {
        const wanted = aWantedPiece({ archiveId: anId() });
        const first = await claimWanted(wanted);

        expect(await all().settle(first, FAILURE)).toBe(true);

        const { kind: _kind, ...failure } = FAILURE;
        expect(await all().installation(first.id)).toEqual({ status: 'failed', id: first.id, ...failure });
        expect(await all().claim(first.id, first.epoch)).toBeNull();
        const again = { ...wanted, archiveId: null };
        expect(await all().want(again)).toEqual({ status: 'pending', id: first.id, epoch: 2 });
        expect(await all().claim(first.id, 2)).toMatchObject(again);
      });

      it('tells another content from every other problem', async () => {
        const claimed = await claimWanted(aWantedPiece());

        await all().settle(claimed, { ...FAILURE, code: 'PIECE_INTEGRITY' });

        expect(await all().installation(claimed.id)).toMatchObject({ status: 'failed', code: 'PIECE_INTEGRITY' });
      });

      it('leaves the hash open, when no archive of it was ever installed', async () => {
        const wanted = aWantedPiece({ integrity: 'sha512-mistyped' });
        await all().settle(await claimWanted(wanted), FAILURE);

        await install({ ...wanted, integrity: 'sha512-first' });

        expect(await all().find([wanted])).toHaveLength(1);
      });
    });

    describe('an ending', () => {
      it('counts once', async () => {
        const wanted = aWantedPiece();
        const claimed = await claimWanted(wanted);
        await all().settle(claimed, anInstallation({ bytes: 1 }));

        expect(await all().settle(claimed, anInstallation({ bytes: 2 }))).toBe(false);
        expect(await all().settle(claimed, FAILURE)).toBe(false);

        expect(await all().find([wanted])).toEqual([expect.objectContaining({ bytes: 1 })]);
      });

      it('does not count when another worker has claimed the installation since, whatever its hash', async () => {
        const wanted = aWantedPiece({ integrity: 'sha512-first' });
        const late = await claimWanted(wanted);
        await subject().passTime(INSTALLATION_SECONDS + 1);
        const [due] = await dueOf(late.id);

        expect(await all().settle(late, anInstallation({ integrity: 'sha512-other' }))).toBe(false);
        expect(await all().settle(late, FAILURE)).toBe(false);

        expect(await all().installation(late.id)).toEqual({ status: 'pending', id: late.id, epoch: due?.epoch });
      });
    });

    describe('what is due', () => {
      it('is what nobody has claimed soon, under a new epoch', async () => {
        const { id, epoch } = await want(aWantedPiece());
        expect(await dueOf(id)).toEqual([]);

        await subject().passTime(FIRST_JOB_SECONDS + 1);

        expect(await dueOf(id)).toEqual([{ id, epoch: 2 }]);
        expect(await dueOf(id)).toEqual([]);
        expect(await all().claim(id, epoch)).toBeNull();
        expect(await all().claim(id, 2)).not.toBeNull();
      });

      it('is not what a worker has claimed, until that counts as lost', async () => {
        const { id } = await claimWanted(aWantedPiece());

        await subject().passTime(FIRST_JOB_SECONDS + 1);
        expect(await dueOf(id)).toEqual([]);

        await subject().passTime(INSTALLATION_SECONDS);
        expect(await dueOf(id)).toEqual([{ id, epoch: 2 }]);
      });

      it('is not what its worker keeps, as long as it was not claimed by another', async () => {
        const kept = await claimWanted(aWantedPiece());
        await subject().passTime(INSTALLATION_SECONDS - 5);
        await all().renew(kept);
        await subject().passTime(INSTALLATION_SECONDS - 5);
        expect(await dueOf(kept.id)).toEqual([]);

        await subject().passTime(10);
        expect(await dueOf(kept.id)).toEqual([{ id: kept.id, epoch: 2 }]);
        await subject().passTime(INSTALLATION_SECONDS - 5);
        await all().renew(kept);
        await subject().passTime(10);
        expect(await dueOf(kept.id)).toEqual([{ id: kept.id, epoch: 3 }]);
      });

      it('is no more than was asked for', async () => {
        for (let i = 0; i < 3; i++) await want(aWantedPiece());
        await subject().passTime(FIRST_JOB_SECONDS + 1);

        expect(await all().claimDue(2)).toHaveLength(2);
      });

      it('fails when several workers have begun it and none has ended it', async () => {
        const wanted = aWantedPiece();
        const claimed = await claimOften(wanted);
        expect(await all().claim(claimed.id, claimed.epoch)).toBeNull();
        await subject().passTime(INSTALLATION_SECONDS + 1);

        expect(await dueOf(claimed.id)).toEqual([]);

        const { id } = claimed;
        expect(await all().installation(id)).toEqual({
          status: 'failed',
          id,
          code: 'PIECE_NOT_INSTALLED',
          problem: NO_WORKER_FINISHED,
        });
        expect(await all().settle(claimed, anInstallation())).toBe(false);
        await install(wanted);
        expect(await dueOf(id)).toEqual([]);
      });
    });

    describe('a removal', () => {
      it('names the archive, and leaves nothing that is found', async () => {
        const wanted = aWantedPiece();
        const ending = anInstallation();
        const id = await install(wanted, ending);

        expect(await all().remove(wanted)).toBe(ending.archiveId);

        expect(await all().find([wanted])).toEqual([]);
        expect(await all().installation(id)).toEqual({ status: 'gone' });
        expect(await all().want(wanted)).toEqual({ status: 'pending', id, epoch: 2 });
      });

      it('is only of what is installed', async () => {
        const [pending, removed] = [aWantedPiece(), aWantedPiece()];
        await want(pending);
        await install(removed);
        await all().remove(removed);

        for (const ref of [aWantedPiece(), pending, removed])
          await expect(all().remove(ref)).rejects.toBeInstanceOf(EntityNotFoundError);
      });

      it('is refused while published flows name the package, and counts them', async () => {
        const used = aWantedPiece();
        const others = [
          { ...used, name: used.name.slice(0, -1) },
          { ...used, name: `${used.name}x` },
          { ...used, version: '1.0' },
          { ...used, version: '1.0.0-rc.1' },
        ];
        for (const wanted of [used, ...others]) await install(wanted);
        for (let i = 0; i < 2; i++) await subject().publishFlow(used);

        const refusal = await all()
          .remove(used)
          .catch((error: unknown) => error);

        expect(refusal).toBeInstanceOf(PieceInUseError);
        expect(refusal).toMatchObject({ params: { name: used.name, version: '1.0.0', flows: 2 } });
        expect(await all().find([used])).toHaveLength(1);
        for (const other of others) expect(await all().remove(other)).toEqual(expect.any(String));
      });
    });
  });
}
