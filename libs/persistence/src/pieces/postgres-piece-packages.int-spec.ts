import { storableJson, type FlowVersion, type PieceRef } from '@millrace/domain';
import {
  aFlow,
  aFlowVersion,
  anId,
  describePiecePackages,
  fallback,
  loop,
  pieceStep,
  router,
  webhookTrigger,
} from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresAuditLog } from '../audit/postgres-audit-log';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { untilLockWait } from '../testing/stalled-pool';
import { LOCK_REF, REMOVE } from './piece-package.statements';
import { PostgresPiecePackages } from './postgres-piece-packages';

const MANY = 12;
const FAILURE = { kind: 'failed', code: 'PIECE_NOT_INSTALLED', problem: 'nul \0' } as const;

let database: TestDatabase;
let pool: Pool;
let source: DataSource;
let flows: PostgresFlowRepository;
let packages: PostgresPiecePackages;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'piece package test', MANY);
  source = await new DataSource(dataSourceOptions(database.url, 'piece package test')).initialize();
  flows = new PostgresFlowRepository(source, aSecretBox());
  packages = new PostgresPiecePackages(pool);
  projectId = await seedProject(source);
});
afterAll(async () => {
  await source.destroy();
  await pool.end();
  await database.drop();
});

const passTime = async (seconds: number): Promise<void> => {
  await pool.query(`update piece_package set due_at = due_at - $1 * interval '1 second'`, [seconds]);
};

function stepOf({ name: pieceName, version: pieceVersion }: PieceRef, input: Record<string, unknown> = {}) {
  const step = pieceStep('step_1', input);
  return { ...step, settings: { ...step.settings, pieceName, pieceVersion } };
}

/** A flow with this version, which is published unless it is a draft. */
async function insertFlow(more: Partial<FlowVersion>): Promise<string> {
  const flowId = anId();
  const version = aFlowVersion([], { id: anId(), flowId, ...more });
  const flow = aFlow({ id: flowId, externalId: flowId, projectId, ownerId: anId(), folderId: null });
  await flows.insert({ ...flow, publishedVersionId: version.state === 'LOCKED' ? version.id : null }, version);
  return flowId;
}

const publishFlow = async (ref: PieceRef) => void (await insertFlow({ trigger: webhookTrigger([stepOf(ref)]) }));
const aRef = () => ({ name: `@acme/piece-${anId()}`, version: '1.0.0' });

async function installed(): Promise<PieceRef> {
  const ref = aRef();
  await packages.settle(await begun(ref), ending());
  return ref;
}

async function begun(ref: PieceRef) {
  const wanted = await packages.want({ ...ref, integrity: null, archiveId: null });
  const claim = wanted.status === 'pending' ? await packages.claim(wanted.id, wanted.epoch) : null;
  if (!claim) throw new Error('The installation cannot be claimed.');
  return claim;
}

const ending = () =>
  ({ kind: 'installed', integrity: 'sha512-a', archiveId: anId(), bytes: 1, description: null }) as const;
const atOnce = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: MANY }, work));

const told = async (targetId: string) =>
  (
    await new PostgresAuditLog(pool).list({ projectIds: 'any', targetId }, { limit: 100, cursor: null })
  ).data.toReversed();

describePiecePackages('PostgresPiecePackages', () => ({ packages, passTime, publishFlow, told }));

describe('PostgresPiecePackages at once', () => {
  it('makes one row for all who want a package, and one epoch for all who want it anew', async () => {
    const wanted = { ...aRef(), integrity: null, archiveId: null };

    const first = await atOnce(() => packages.want(wanted));

    const [pending] = first;
    if (pending?.status !== 'pending') throw new Error('The package is not pending.');
    expect(new Set(first.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const claim = await packages.claim(pending.id, 1);
    if (!claim) throw new Error('The installation cannot be claimed.');
    await packages.settle(claim, FAILURE);
    expect(await packages.installation(pending.id)).toMatchObject({ problem: 'nul \ufffd' });
    const again = await atOnce(() => packages.want(wanted));
    expect(again).toEqual(Array(MANY).fill({ status: 'pending', id: pending.id, epoch: 2 }));
  });

  it('lets one of many hashes be wanted', async () => {
    const ref = aRef();
    let count = 0;

    const answers = await Promise.allSettled(
      Array.from({ length: MANY }, () => packages.want({ ...ref, integrity: `sha512-${count++}`, archiveId: null })),
    );

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('counts one of many endings, whole', async () => {
    const ref = aRef();
    const claim = await begun(ref);
    const endings = Array.from({ length: MANY }, ending);

    const counted = await Promise.all(endings.map((given) => packages.settle(claim, given)));

    expect(counted.filter(Boolean)).toHaveLength(1);
    const [found] = await packages.find([ref]);
    expect(found?.archiveId).toBe(endings[counted.indexOf(true)]?.archiveId);
  });

  it('enqueues each lost installation once', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < MANY; i++) ids.add((await begun(aRef())).id);
    await passTime(1_000);

    const due = (await atOnce(() => packages.claimDue(1_000))).flat().map(({ id }) => id);

    expect(due.filter((id) => ids.has(id)).sort()).toEqual([...ids].sort());
  });

  it('removes a package once', async () => {
    const ref = await installed();

    const removals = await Promise.allSettled(Array.from({ length: MANY }, () => packages.remove(ref)));

    expect(removals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a package and the publication of a flow at once', () => {
  /** Publishes a flow with a step of this package. `meanwhile` is awaited when the package was asked to stay. */
  async function publish(ref: PieceRef, meanwhile: (kept: readonly PieceRef[]) => Promise<unknown> = async () => null) {
    const id = await insertFlow({ state: 'DRAFT', trigger: webhookTrigger([stepOf(ref)]) });
    await flows.change(id, 'any', async ({ version, ...flow }, surroundings) => {
      await meanwhile(await surroundings.keepPackages([ref, aRef()]));
      const published = { ...version, state: 'LOCKED' } as const;
      return { flow: { ...flow, publishedVersionId: version.id }, version: published, isNewVersion: false };
    });
  }

  it('end with both when the flow is faster', async () => {
    const ref = await installed();
    let removal: Promise<unknown> = Promise.resolve();

    await publish(ref, async (kept) => {
      expect(kept).toEqual([ref]);
      removal = packages.remove(ref).catch((error: unknown) => error);
      await untilLockWait(pool);
    });

    expect(await removal).toMatchObject({ code: 'PIECE_IN_USE', params: { flows: 1 } });
    expect(await packages.find([ref])).toHaveLength(1);
  });

  it('end without the package when its removal is faster, which the publication sees', async () => {
    const ref = await installed();
    const [found] = await packages.find([ref]);
    const remover = await pool.connect();
    await remover.query('begin');
    await remover.query(LOCK_REF, [ref.name, ref.version]);
    let seen: readonly PieceRef[] | undefined;

    const published = publish(ref, async (kept) => (seen = kept));
    await untilLockWait(pool);
    await remover.query(REMOVE, [found?.id]);
    await remover.query('commit');
    remover.release();
    await published;

    expect(seen).toEqual([]);
  });

  it('do not wait for one another when two flows are published', async () => {
    const ref = await installed();

    await publish(ref, () => publish(ref));

    await expect(packages.remove(ref)).rejects.toMatchObject({ params: { flows: 2 } });
  });
});

describe('an operation of a trigger', () => {
  const insertOperation = (kind: string, triggers: object) =>
    pool.query(
      'insert into trigger_operation (id, flow_id, project_id, kind, triggers, due_at) values ($1, $2, $3, $4, $5, now())',
      [anId(), anId(), anId(), kind, storableJson(JSON.stringify(triggers))],
    );
  const live = ({ name: pieceName, version: pieceVersion }: PieceRef) => {
    const trigger = webhookTrigger();
    const input = { text: 'nul \0, lone \ud800' };
    return { trigger: { ...trigger, settings: { ...trigger.settings, pieceName, pieceVersion, input } } };
  };

  it.each<[side: string, triggers: (ref: PieceRef) => object]>([
    ['disabled', (ref) => ({ off: [live(aRef()), live(ref)], on: null, restore: null })],
    ['enabled', (ref) => ({ off: [], on: live(ref), restore: null })],
    ['enabled again', (ref) => ({ off: [], on: live(aRef()), restore: live(ref) })],
  ])('keeps the package of a trigger that is %s, also of a flow that is deleted', async (_side, triggers) => {
    const ref = await installed();
    await insertOperation('DISABLING', triggers(ref));

    await expect(packages.remove(ref)).rejects.toMatchObject({
      code: 'PIECE_IN_USE',
      params: { flows: 0, operations: 1 },
      message: expect.stringContaining(
        `A trigger of 1 flow needs ${ref.name} ${ref.version} to take back what was registered at another service`,
      ),
    });
  });

  it('keeps no other package, and no package when it is a test', async () => {
    const [tested, other] = [await installed(), await installed()];
    await insertOperation('TESTING', { off: [], on: live(tested), restore: null });
    await insertOperation('DISABLING', { off: [live({ ...other, version: '0.0.1' })], on: null, restore: null });

    for (const ref of [tested, other]) expect(await packages.remove(ref)).toEqual(expect.any(String));
  });
});

describe('the flows that keep a package', () => {
  it.each<[where: string, more: (ref: PieceRef) => Partial<FlowVersion>]>([
    [
      'trigger',
      ({ name: pieceName, version: pieceVersion }) => {
        const trigger = webhookTrigger();
        return { trigger: { ...trigger, settings: { ...trigger.settings, pieceName, pieceVersion } } };
      },
    ],
    ['loop', (ref) => ({ trigger: webhookTrigger([loop('loop_1', '{{1}}', [stepOf(ref)])]) })],
    ['branch', (ref) => ({ trigger: webhookTrigger([router('router_1', [fallback([stepOf(ref)])])]) })],
    ['last of 1,000 steps', (ref) => ({ trigger: webhookTrigger([...otherSteps(999), stepOf(ref)]) })],
    [
      'step beside characters that PostgreSQL cannot hold',
      (ref) => ({ trigger: webhookTrigger([stepOf(ref, { a: 'nul \0, lone \ud800, written \\u0000' })]) }),
    ],
  ])('have it in a %s', async (_where, more) => {
    const ref = await installed();
    await insertFlow(more(ref));

    await expect(packages.remove(ref)).rejects.toMatchObject({ code: 'PIECE_IN_USE', params: { flows: 1 } });
  });

  it('may be older than the contents beside their versions', async () => {
    const ref = await installed();
    await publishFlow(ref);
    await pool.query('update flow_version set contents = null');

    await expect(packages.remove(ref)).rejects.toMatchObject({ code: 'PIECE_IN_USE' });
  });

  it('are not those that only have a draft with it, or name it in a text', async () => {
    const ref = await installed();
    const { name: pieceName, version: pieceVersion } = ref;
    await insertFlow({ state: 'DRAFT', trigger: webhookTrigger([stepOf(ref)]) });
    await insertFlow({ trigger: webhookTrigger([pieceStep('step_1', { settings: { pieceName, pieceVersion } })]) });

    await expect(packages.remove(ref)).resolves.toEqual(expect.any(String));
  });
});

const otherSteps = (count: number) => Array.from({ length: count }, (_, i) => pieceStep(`other_${i}`));
