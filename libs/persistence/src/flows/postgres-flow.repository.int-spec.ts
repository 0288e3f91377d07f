import { EntityNotFoundError, type FlowVersion } from '@millrace/domain';
import { aFlow, aFlowVersion, anId, codeStep, webhookTrigger } from '@millrace/domain/testing';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../postgres/data-source';
import { newId } from '../postgres/new-id';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { FlowVersionEntity } from './flow-version.entity';
import { PostgresFlowChanges } from './postgres-flow-changes';
import { PostgresFlowRepository } from './postgres-flow.repository';

describe('flows in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let flows: PostgresFlowRepository;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'flow test')).initialize();
    flows = new PostgresFlowRepository(dataSource);
    projectId = await seedProject(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const inserted = async (versionMore: Partial<FlowVersion> = {}) => {
    const flow = aFlow({ projectId, id: newId() });
    const version = aFlowVersion([codeStep('step_1')], {
      id: newId(),
      flowId: flow.id,
      state: 'DRAFT',
      ...versionMore,
    });
    await flows.insert(flow, version);
    return { flow, version };
  };

  describe('get', () => {
    it('gives back what was inserted, keys of the definition in their order', async () => {
      const trigger = {
        ...webhookTrigger(),
        settings: { z: 1, a: { y: 2, b: 3 } },
      } as unknown as FlowVersion['trigger'];
      const { flow, version } = await inserted({ trigger, notes: [{ b: 1, a: 2 }] });

      const found = await flows.get(flow.id, [projectId]);

      expect(found).toEqual({ ...flow, version });
      expect(JSON.stringify(found.version.trigger)).toBe(JSON.stringify(trigger));
    });

    it('gives the latest version, or the one asked for', async () => {
      const { flow, version } = await inserted({ state: 'LOCKED' });
      const draft = { ...version, id: newId(), state: 'DRAFT' as const };
      await flows.change(flow.id, 'any', (current) => ({ flow: current, version: draft, isNewVersion: true }));

      expect((await flows.get(flow.id, 'any')).version.id).toBe(draft.id);
      expect((await flows.get(flow.id, 'any', version.id)).version.id).toBe(version.id);
    });

    it.each([
      ['unknown', () => anId(), 'any' as const],
      ['malformed', () => "'; drop table flow", 'any' as const],
      ['of another project', (id: string) => id, [anId()]],
      ['asked for by someone without a project', (id: string) => id, []],
    ])('does not find a flow that is %s', async (_, idFor, projectIds) => {
      const { flow } = await inserted();

      const asked = flows.get(idFor(flow.id), projectIds);

      await expect(asked).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND', params: { entityType: 'flow' } });
    });

    it('does not find the version of another flow', async () => {
      const [one, other] = [await inserted(), await inserted()];

      const asked = flows.get(one.flow.id, 'any', other.version.id);

      await expect(asked).rejects.toMatchObject({ params: { entityType: 'flow_version', entityId: other.version.id } });
    });
  });

  describe('change', () => {
    it('lets 20 operations on one flow happen one after the other, none lost', async () => {
      const { flow } = await inserted({ notes: [] });

      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          flows.change(flow.id, [projectId], async (current) => {
            await Promise.resolve();
            const version = { ...current.version, notes: [...current.version.notes, i] };
            return { flow: { ...current, timeSavedPerRun: version.notes.length }, version, isNewVersion: false };
          }),
        ),
      );

      const { version, timeSavedPerRun } = await flows.get(flow.id, 'any');
      expect([...version.notes].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 20 }, (_, i) => i));
      expect(timeSavedPerRun).toBe(20);
    });

    it('locks a draft, and never writes a locked version again', async () => {
      const { flow, version } = await inserted();
      const lock = () => ({ ...version, state: 'LOCKED' as const, updated: new Date('2026-05-01') });
      await flows.change(flow.id, 'any', (current) => ({ flow: current, version: lock(), isNewVersion: false }));

      await flows.change(flow.id, 'any', (current) => ({
        flow: { ...current, status: 'DISABLED' },
        version: { ...current.version, displayName: 'Written over' },
        isNewVersion: false,
      }));

      expect(await flows.get(flow.id, 'any')).toMatchObject({ status: 'DISABLED', version: lock() });
    });

    it('writes nothing when the operation refuses', async () => {
      const { flow, version } = await inserted();

      const refused = flows.change(flow.id, 'any', () => Promise.reject(new Error('not so')));

      await expect(refused).rejects.toThrow('not so');
      expect(await flows.get(flow.id, 'any')).toEqual({ ...flow, version });
    });

    it('replaces what PostgreSQL cannot hold', async () => {
      const { flow } = await inserted({ displayName: 'a\0b', notes: ['\0', '\ud800'] });

      expect((await flows.get(flow.id, 'any')).version).toMatchObject({
        displayName: 'a\ufffdb',
        notes: ['\ufffd', '\ufffd'],
      });
    });
  });

  describe('delete', () => {
    it('removes the flow, and keeps its versions for the runs that show them', async () => {
      const { flow, version } = await inserted();
      await expect(flows.delete(flow.id, [anId()])).rejects.toBeInstanceOf(EntityNotFoundError);

      await flows.delete(flow.id, [projectId]);

      await expect(flows.get(flow.id, 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(flows.delete(flow.id, 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
      expect(await dataSource.getRepository(FlowVersionEntity).existsBy({ id: version.id })).toBe(true);
    });
  });

  it('counts the enabled flows of a project', async () => {
    const other = await seedProject(dataSource);
    for (const status of ['ENABLED', 'ENABLED', 'DISABLED'] as const) {
      const flow = aFlow({ projectId: other, status });
      await flows.insert(flow, aFlowVersion([], { id: newId(), flowId: flow.id }));
    }

    expect(await flows.countEnabled(other)).toBe(2);
  });

  describe('FlowChanges', () => {
    let changes: PostgresFlowChanges;
    let heard: { next: () => Promise<string | null> };

    beforeEach(async () => {
      changes = new PostgresFlowChanges({ databaseUrl: database.url, applicationName: 'changes test' });
      heard = listen(changes);
      expect(await heard.next()).toBeNull();
    });
    afterEach(() => changes.onApplicationShutdown());

    it('reach another connection when an operation has committed, and not when it was refused', async () => {
      const { flow } = await inserted();

      await expect(flows.change(flow.id, 'any', () => Promise.reject(new Error('not so')))).rejects.toThrow('not so');
      await flows.change(flow.id, 'any', (current) => ({
        flow: current,
        version: current.version,
        isNewVersion: false,
      }));
      expect(await heard.next()).toBe(flow.id);

      await flows.delete(flow.id, 'any');
      expect(await heard.next()).toBe(flow.id);
    });

    it('come again after the connection broke, and everything is doubtful then', async () => {
      const { flow } = await inserted();
      await dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'changes test listener'`,
      );

      expect(await heard.next()).toBeNull();
      await flows.delete(flow.id, 'any');
      expect(await heard.next()).toBe(flow.id);
    });
  });
});

/** What was announced, one by one. */
function listen(changes: PostgresFlowChanges): { next: () => Promise<string | null> } {
  const announced: (string | null)[] = [];
  let wake = (): void => undefined;
  changes.subscribe((flowId) => {
    announced.push(flowId);
    wake();
  });
  return {
    next: async () => {
      while (announced.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return announced.shift() as string | null;
    },
  };
}
