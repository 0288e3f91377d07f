import {
  contentsOf,
  EntityNotFoundError,
  type DomainError,
  type Flow,
  type ControlSettings,
  type FlowChange,
  type FlowFilter,
  type FlowNote,
  type FlowVersion,
  type FlowTrigger,
  type ListeningTrigger,
  type Folder,
  type PopulatedFlow,
  type SampleDataChange,
  type SampleDataType,
} from '@millrace/domain';
import { aFlow, aFlowVersion, anId, codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { ListeningConnection } from '../postgres/listening-connection';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { FlowVersionEntity } from './flow-version.entity';
import { PostgresFlowChanges } from './postgres-flow-changes';
import { PostgresFlowRepository } from './postgres-flow.repository';
import { PostgresFolderRepository } from './postgres-folder.repository';
import { PostgresSampleDataReader } from './postgres-sample-data.reader';

describe('flows in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let flows: PostgresFlowRepository;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'flow test')).initialize();
    pool = openHotPool(database.url, 'flow test');
    flows = new PostgresFlowRepository(dataSource, aSecretBox());
    projectId = await seedProject(dataSource);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  const inserted = async (versionMore: Partial<FlowVersion> = {}, flowMore: Partial<Flow> = {}) => {
    const flow = aFlow({ projectId, id: newId(), ...flowMore });
    const version = aFlowVersion([codeStep('step_1')], {
      id: newId(),
      flowId: flow.id,
      state: 'DRAFT',
      ...versionMore,
    });
    await flows.insert(flow, version);
    return { flow, version };
  };

  const insertedFolder = async (inProject: string): Promise<Folder> => {
    const created = new Date('2026-01-01');
    const folder = { id: newId(), projectId: inProject, displayName: `Folder ${newId()}`, created, updated: created };
    await new PostgresFolderRepository(dataSource).insert(folder);
    return folder;
  };

  describe('the events of flows', () => {
    const events = async (flowId: string) => {
      const text = `select type, data from event_delivery where data ->> 'id' = $1 order by created, type desc`;
      const rows = await dataSource.query<{ type: string; data: unknown }[]>(text, [flowId]);
      return rows.map(({ type, data }) => [type, data]);
    };
    const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

    it('are written with the change, and show the flow without trigger and notes', async () => {
      const listening = await seedProject(dataSource);
      await seedDestination(pool, listening, {
        events: ['flow.created', 'flow.published', 'flow.enabled', 'flow.deleted'],
      });
      const { flow, version } = await inserted({}, { projectId: listening, status: 'DISABLED' });
      const { trigger: _trigger, notes: _notes, ...summary } = version;
      const { revision: _revision, updatedBy: _updatedBy, ...shown } = flow;

      await flows.change(flow.id, 'any', (current) => ({
        flow: { ...current, status: 'ENABLED', publishedVersionId: version.id, revision: 2 },
        version: current.version,
        isNewVersion: false,
      }));
      await flows.delete(flow.id, 'any', () => undefined);

      const published = { ...shown, status: 'ENABLED', publishedVersionId: version.id, version: summary };
      expect(await events(flow.id)).toEqual([
        ['flow.created', asJson({ ...shown, version: summary })],
        ['flow.published', asJson(published)],
        ['flow.enabled', asJson(published)],
        ['flow.deleted', asJson(published)],
      ]);
    });

    it('are not written when the change is refused', async () => {
      const listening = await seedProject(dataSource);
      await seedDestination(pool, listening, { events: ['flow.updated', 'flow.deleted'] });
      const { flow } = await inserted({}, { projectId: listening });
      const refuse = () => {
        throw new EntityNotFoundError('flow', flow.id);
      };

      await expect(flows.change(flow.id, 'any', refuse)).rejects.toThrow();
      await expect(flows.delete(flow.id, 'any', refuse)).rejects.toThrow();

      expect(await events(flow.id)).toEqual([]);
    });
  });

  describe('get', () => {
    it('gives back what was inserted, keys of the definition in their order', async () => {
      const trigger = {
        ...webhookTrigger(),
        settings: { z: 1, a: { y: 2, b: 3 } },
      } as unknown as FlowVersion['trigger'];
      const { flow, version } = await inserted({ trigger, notes: [{ id: 'note', content: 'Ask Bob', b: 1, a: 2 }] });

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
            const version = { ...current.version, notes: [...current.version.notes, aNote(i)] };
            return { flow: { ...current, timeSavedPerRun: version.notes.length }, version, isNewVersion: false };
          }),
        ),
      );

      const { version, timeSavedPerRun } = await flows.get(flow.id, 'any');
      expect(version.notes).toEqual(expect.arrayContaining(Array.from({ length: 20 }, (_, i) => aNote(i))));
      expect(version.notes).toHaveLength(20);
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

    it('writes who published a version, also one that was locked before', async () => {
      const { flow, version } = await inserted();
      const publish = (more: Partial<FlowVersion>) =>
        flows.change(flow.id, 'any', (current) => ({
          flow: current,
          version: { ...current.version, state: 'LOCKED', ...more },
          isNewVersion: false,
        }));
      const first = { at: new Date('2026-05-01'), by: 'user_1', note: 'First\0' };
      const again = { at: new Date('2026-06-01'), by: 'api_key:1', note: null };

      await publish({ published: first });
      expect((await flows.get(flow.id, 'any')).version.published).toEqual({ ...first, note: 'First\ufffd' });
      await publish({ published: again, displayName: 'Written over' });

      const found = await flows.get(flow.id, 'any');
      expect(found.version).toEqual({ ...version, state: 'LOCKED', published: again });
      const { data } = await flows.listVersions(flow.id, 'any', PAGE);
      expect(data[0]?.published).toEqual(again);
      expect(
        (await flows.list({ projectId: flow.projectId, externalIds: [flow.externalId] }, PAGE)).data,
      ).toMatchObject([{ version: { published: again } }]);
    });

    it('records what the flow listens to, keeps the record when it is disabled, and deletes it with the flow', async () => {
      const { flow } = await inserted();
      const states = () =>
        dataSource.query<object[]>(
          'select flow_version_id, kind, is_enabled, plan, event_name, due_at from trigger_state where flow_id = $1',
          [flow.id],
        );
      const listen = async (listening: FlowChange['listening']) => {
        await flows.change(flow.id, 'any', (current) => ({ ...changed(current, {}), listening }));
        await dataSource.query(`update trigger_state set due_at = '2026-01-01' where is_enabled and flow_id = $1`, [
          flow.id,
        ]);
        return states();
      };
      const flowVersionId = newId();
      const event = { name: 'paid', filter: null };
      const plan = { kind: 'APP_WEBHOOK', event } as const;
      const onRecord = {
        kind: 'APP_WEBHOOK',
        plan: JSON.stringify(plan),
        event_name: 'paid',
        due_at: expect.any(Date),
      };

      expect(await listen(undefined)).toEqual([]);
      expect(await listen({ flowVersionId: newId(), plan })).toMatchObject([{ ...onRecord, is_enabled: true }]);
      expect(await listen({ flowVersionId, plan })).toMatchObject([{ ...onRecord, flow_version_id: flowVersionId }]);
      expect(await listen(null)).toMatchObject([{ is_enabled: false, due_at: null }]);

      await flows.delete(flow.id, 'any', () => undefined);
      expect(await states()).toEqual([]);
    });

    it('records the limits of the version that is published, once the flow has had some', async () => {
      const { flow } = await inserted();
      const { trigger } = aFlowVersion([]);
      const published = async (control: ControlSettings): Promise<object[]> => {
        await flows.change(flow.id, 'any', (current) => {
          const ofVersion = { ...trigger, settings: { ...trigger.settings, ...control } } as FlowTrigger;
          const version = { ...current.version, id: newId(), trigger: ofVersion };
          return { ...changed({ ...current, version }, { publishedVersionId: version.id }), isNewVersion: true };
        });
        const columns = 'concurrency, rate, rate_window_ms, gathers, is_reviewed';
        return dataSource.query(`select ${columns} from flow_control_published where flow_id = $1`, [flow.id]);
      };
      const limits = { concurrency: { limit: 2 }, rateLimit: { limit: 3, windowSeconds: 60 } };
      const recorded = { concurrency: 2, rate: 3, rate_window_ms: 60_000, gathers: false, is_reviewed: false };

      expect(await published({})).toEqual([]);
      expect(await published(limits)).toEqual([recorded]);
      await dataSource.query('delete from flow_control_published');
      expect(await published({})).toEqual([{ ...recorded, concurrency: null, rate: null, rate_window_ms: null }]);
    });

    it('keeps the instant at which a trigger is due only while its plan stays the same', async () => {
      const { flow } = await inserted();
      const scheduled = (cron: string): ListeningTrigger => ({
        flowVersionId: newId(),
        plan: { kind: 'SCHEDULE', schedule: { cron, timezone: 'UTC', jitterSeconds: 0 } },
      });
      const dueAfter = async (listening: ListeningTrigger) => {
        await flows.change(flow.id, 'any', (current) => ({ ...changed(current, {}), listening }));
        const due = 'select due_at from trigger_state where flow_id = $1';
        return (await dataSource.query<{ due_at: Date | null }[]>(due, [flow.id]))[0]?.due_at;
      };

      await dueAfter(scheduled('0 5 * * *'));
      await dataSource.query(`update trigger_state set due_at = '2026-01-01T00:00Z' where flow_id = $1`, [flow.id]);

      expect(await dueAfter(scheduled('0 5 * * *'))).toEqual(new Date('2026-01-01'));
      expect((await dueAfter(scheduled('0 6 * * *')))?.getUTCHours()).toBe(6);
    });

    it('writes nothing when the operation refuses', async () => {
      const { flow, version } = await inserted();

      const refused = flows.change(flow.id, 'any', () => Promise.reject(new Error('not so')));

      await expect(refused).rejects.toThrow('not so');
      expect(await flows.get(flow.id, 'any')).toEqual({ ...flow, version });
    });

    it('writes who changed the flow and its revision as given', async () => {
      const { flow } = await inserted();
      const stamp = { updated: new Date('2026-05-01'), updatedBy: 'api_key:one', revision: 7 };

      await flows.change(flow.id, 'any', (current) => changed(current, stamp));

      expect(await flows.get(flow.id, 'any')).toMatchObject(stamp);
    });

    it('lets one of two flows be enabled when the limit leaves room for one', async () => {
      const other = await seedProject(dataSource);
      const made = await Promise.all([1, 2, 3].map(() => inserted({}, { projectId: other, status: 'DISABLED' })));

      const enabled = await Promise.allSettled(
        made.map(({ flow }) =>
          flows.change(flow.id, 'any', async (current, { countEnabled }) => {
            if ((await countEnabled()) >= 1) throw new Error('The limit is reached.');
            return changed(current, { status: 'ENABLED' });
          }),
        ),
      );

      expect(enabled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('answers questions on its own connection, however many changes are under way', async () => {
      const made = await Promise.all(Array.from({ length: 12 }, () => inserted()));

      const counts = await Promise.all(
        made.map(async ({ flow, version }) => {
          const answers: unknown[] = [];
          await flows.change(flow.id, 'any', async (current, surroundings) => {
            answers.push(await surroundings.countEnabled(), await surroundings.findVersion(version.id));
            answers.push(await surroundings.hasFolder(anId()), await surroundings.hasMember(anId()));
            return changed(current, {});
          });
          return answers;
        }),
      );

      expect(counts.map(([, found, ...others]) => [found, ...others])).toEqual(
        made.map(({ version }) => [version, false, false]),
      );
    });

    it('knows the versions of its flow, the folders and the members of its project', async () => {
      const ownerId = newId();
      const other = await seedProject(dataSource, { ownerId });
      const { flow, version } = await inserted({}, { projectId: other });
      const [foreign, ownFolder, foreignFolder] = [
        await inserted(),
        await insertedFolder(other),
        await insertedFolder(projectId),
      ];
      await dataSource.query(`update app_user set platform_role = 'MEMBER'`);
      const [administrator] = await dataSource.query<[{ id: string }[]]>(
        `update app_user set platform_role = 'ADMIN' where id = (select owner_id from project where id = $1) returning id`,
        [projectId],
      );
      const stranger = newId();
      await seedProject(dataSource, { ownerId: stranger });
      await dataSource.query(`update app_user set platform_role = 'MEMBER' where id = $1`, [stranger]);
      const answers: unknown[] = [];

      await flows.change(flow.id, 'any', async (current, { findVersion, hasFolder, hasMember }) => {
        for (const id of [version.id, foreign.version.id, 'no id']) answers.push(await findVersion(id));
        for (const id of [ownFolder.id, foreignFolder.id, 'no id']) answers.push(await hasFolder(id));
        for (const id of [ownerId, administrator[0]?.id ?? '', stranger, 'no id']) answers.push(await hasMember(id));
        return changed(current, {});
      });

      expect(answers).toEqual([version, null, null, true, false, false, true, true, false, false]);
    });

    it('keeps the folder it found until it has ended', async () => {
      const { flow } = await inserted();
      const folder = await insertedFolder(projectId);
      const folders = new PostgresFolderRepository(dataSource);
      let deleted = Promise.resolve();

      await flows.change(flow.id, 'any', async (current, { hasFolder }) => {
        expect(await hasFolder(folder.id)).toBe(true);
        deleted = folders.delete(folder.id, 'any');
        return changed(current, { folderId: folder.id });
      });
      await deleted;

      expect(await flows.get(flow.id, 'any')).toMatchObject({ folderId: null });
    });

    it('refuses a folder that is not there', async () => {
      const { flow } = await inserted();
      const folderId = anId();

      const moved = flows.change(flow.id, 'any', (current) => changed(current, { folderId }));

      await expect(moved).rejects.toMatchObject({ params: { entityType: 'folder', entityId: folderId } });
      await expect(inserted({}, { folderId })).rejects.toMatchObject({ params: { entityType: 'folder' } });
    });

    it('saves, replaces, forgets and clears sample data', async () => {
      const { flow } = await inserted();
      const samples = new PostgresSampleDataReader(dataSource);
      const change = (sampleData: SampleDataChange) =>
        flows.change(flow.id, 'any', (current) => ({ ...changed(current, {}), sampleData }));
      const save = (stepName: string, type: SampleDataType, payload: unknown) =>
        change({ kind: 'save', stepName, type, payload });
      const kept = (stepName: string, type: SampleDataType) =>
        samples.get(flow.id, [projectId], stepName, type).then(
          ({ payload }) => payload,
          (error: DomainError) => error.params,
        );
      const large = { text: 'x'.repeat(200_000) };
      const gone = (entityId: string) => ({ entityType: 'sample_data', entityId });

      await save('one', 'INPUT', 1);
      await save('one', 'INPUT', { a: '\0' });
      await save('one', 'OUTPUT', large);
      await save('two', 'OUTPUT', null);
      expect(await kept('one', 'INPUT')).toEqual({ a: '\ufffd' });
      expect(await kept('one', 'OUTPUT')).toEqual(large);
      expect(await kept('two', 'INPUT')).toEqual(gone('two'));

      await change({ kind: 'forget', stepNames: ['one', 'other'] });
      expect(await kept('one', 'OUTPUT')).toEqual(gone('one'));
      expect(await kept('two', 'OUTPUT')).toBeNull();

      await change({ kind: 'clear' });
      expect(await kept('two', 'OUTPUT')).toEqual(gone('two'));
      await expect(samples.get(flow.id, [anId()], 'two', 'OUTPUT')).rejects.toMatchObject({
        params: { entityType: 'flow' },
      });
    });

    it('replaces what PostgreSQL cannot hold', async () => {
      const { flow } = await inserted({ displayName: 'a\0b', notes: [{ id: '\0', content: '\ud800' }] });

      expect((await flows.get(flow.id, 'any')).version).toMatchObject({
        displayName: 'a\ufffdb',
        notes: [{ id: '\ufffd', content: '\ufffd' }],
      });
    });
  });

  describe('delete', () => {
    it('removes the flow when that is agreed to, and keeps its versions for the runs that show them', async () => {
      const { flow, version } = await inserted();
      await expect(flows.delete(flow.id, [anId()], agreed)).rejects.toBeInstanceOf(EntityNotFoundError);

      await flows.change(flow.id, 'any', (current) => ({
        ...changed(current, {}),
        sampleData: { kind: 'save', stepName: 'step_1', type: 'INPUT', payload: 1 },
      }));
      const before = await flows.get(flow.id, 'any');
      const refused = flows.delete(flow.id, [projectId], (current) => {
        expect(current).toEqual(before);
        throw new Error('in use');
      });
      await expect(refused).rejects.toThrow('in use');
      expect(await flows.get(flow.id, 'any')).toEqual(before);
      expect(before).toMatchObject({ ...flow, version: { id: version.id } });

      await flows.delete(flow.id, [projectId], agreed);

      await expect(flows.get(flow.id, 'any')).rejects.toBeInstanceOf(EntityNotFoundError);
      await expect(flows.delete(flow.id, 'any', agreed)).rejects.toBeInstanceOf(EntityNotFoundError);
      expect(await dataSource.getRepository(FlowVersionEntity).existsBy({ id: version.id })).toBe(true);
    });
  });

  describe('listVersions', () => {
    it('gives the versions newest first, without their steps, a page at a time', async () => {
      const { flow, version } = await inserted({ state: 'LOCKED' });
      const { trigger: _trigger, notes: _notes, ...first } = version;
      const drafts = [newId(), newId()];
      for (const id of drafts) {
        await flows.change(flow.id, 'any', (current) => ({
          flow: current,
          version: { ...version, id },
          isNewVersion: true,
        }));
      }

      const newest = await flows.listVersions(flow.id, [projectId], { limit: 2, cursor: null });
      const oldest = await flows.listVersions(flow.id, [projectId], { limit: 2, cursor: newest.next });

      expect(newest.data.map(({ id }) => id)).toEqual([...drafts].reverse());
      expect(oldest).toEqual({
        data: [{ ...first, contents: contentsOf(version.trigger) }],
        next: null,
        previous: expect.any(String),
      });
      await expect(flows.listVersions(flow.id, [anId()], { limit: 2, cursor: null })).rejects.toBeInstanceOf(
        EntityNotFoundError,
      );
    });
  });

  describe('list', () => {
    it('shows the latest version without its steps, and follows every change', async () => {
      const other = await seedProject(dataSource);
      const { flow, version } = await inserted({ displayName: 'Before' }, { projectId: other, status: 'DISABLED' });
      const asks = codeStep('ask', { key: "{{ connections['slack'] }}" });
      const later = aFlowVersion([asks], { id: newId(), flowId: flow.id, displayName: 'ÄNDERUNG 100%' });
      const find = async (filter: Partial<FlowFilter>) =>
        (await flows.list({ projectId: other, ...filter }, PAGE)).data.map(({ id }) => id);
      expect(await find({ name: 'before', versionState: 'DRAFT', status: ['DISABLED'] })).toEqual([flow.id]);

      await flows.change(flow.id, 'any', (current) => ({
        ...changed(current, { status: 'ENABLED' }),
        version: later,
        isNewVersion: true,
      }));

      const { data } = await flows.list({ projectId: other }, PAGE);
      const { trigger: _trigger, notes: _notes, ...summary } = later;
      expect(data).toEqual([
        { ...flow, status: 'ENABLED', version: { ...summary, contents: contentsOf(later.trigger) } },
      ]);
      expect(await find({ name: 'änderung 100%', versionState: 'LOCKED', status: ['ENABLED'] })).toEqual([flow.id]);
      expect(await find({ connectionExternalIds: ['slack'], externalIds: [flow.externalId] })).toEqual([flow.id]);
      for (const past of [{ name: version.displayName }, { status: ['DISABLED'] as const }, { name: 'a\0' }]) {
        expect(await find(past)).toEqual([]);
      }

      await flows.change(flow.id, 'any', (current) => ({
        ...changed(current, {}),
        version: { ...version, id: newId() },
        isNewVersion: true,
      }));
      expect(await find({ connectionExternalIds: ['slack'] })).toEqual([]);
      await flows.delete(flow.id, 'any', agreed);
      expect(await flows.count({ projectId: other })).toBe(0);
    });

    it('says what versions contain, also those that were written before lists said it', async () => {
      const other = await seedProject(dataSource);
      const { flow, version } = await inserted({}, { projectId: other });
      await dataSource.query('update flow_version set contents = null where flow_id = $1', [flow.id]);

      const contents = contentsOf(version.trigger);
      expect((await flows.list({ projectId: other }, PAGE)).data).toMatchObject([{ version: { contents } }]);
      expect((await flows.listVersions(flow.id, 'any', PAGE)).data).toMatchObject([{ contents }]);
    });

    it('finds nothing for ids that are none, and for no status at all', async () => {
      await inserted();

      for (const filter of [{ projectId: 'no id' }, { projectId, folderId: 'no id' }, { projectId, status: [] }]) {
        expect(await flows.list(filter, PAGE)).toEqual({ data: [], next: null, previous: null });
      }
      expect(await flows.count({ projectId, folderId: 'no id' })).toBe(0);
    });

    it('neither repeats nor hides a flow when others arrive between pages, forward and back', async () => {
      const other = await seedProject(dataSource);
      const made: string[] = [];
      const insertOne = async () => made.unshift((await inserted({}, { projectId: other })).flow.id);
      for (let i = 0; i < 6; i++) await insertOne();
      const filter = { projectId: other, status: ['ENABLED'] as const };
      const read = async (cursor: string | null) => {
        const page = await flows.list(filter, { limit: 2, cursor });
        await insertOne();
        return { ...page, ids: page.data.map(({ id }) => id) };
      };
      const original = [...made];

      const first = await read(null);
      const second = await read(first.next);
      const third = await read(second.next);
      const backToSecond = await read(third.previous);
      const backToFirst = await read(backToSecond.previous);
      const newer = await read(backToFirst.previous);

      expect([...first.ids, ...second.ids, ...third.ids]).toEqual(original);
      expect(third.next).toBeNull();
      expect(backToSecond.ids).toEqual(second.ids);
      expect(backToFirst.ids).toEqual(first.ids);
      expect(newer.ids).toEqual(made.slice(-8, -6));
      await expect(flows.list({ projectId: other }, { limit: 2, cursor: first.next })).rejects.toMatchObject({
        code: 'VALIDATION',
      });
    });
  });

  describe('FlowChanges', () => {
    let connection: ListeningConnection;
    let changes: PostgresFlowChanges;
    let heard: { next: () => Promise<string | null> };

    beforeEach(async () => {
      connection = new ListeningConnection({ databaseUrl: database.url, applicationName: 'changes test' });
      changes = new PostgresFlowChanges(connection);
      heard = listen(changes);
      expect(await heard.next()).toBeNull();
    });
    afterEach(() => connection.onApplicationShutdown());

    it('reach another connection when an operation has committed, and not when it was refused', async () => {
      const { flow } = await inserted();

      await expect(flows.change(flow.id, 'any', () => Promise.reject(new Error('not so')))).rejects.toThrow('not so');
      await flows.change(flow.id, 'any', (current) => ({
        flow: current,
        version: current.version,
        isNewVersion: false,
      }));
      expect(await heard.next()).toBe(flow.id);

      await flows.delete(flow.id, 'any', agreed);
      expect(await heard.next()).toBe(flow.id);
    });

    it('come again after the connection broke, and everything is doubtful then', async () => {
      const { flow } = await inserted();
      await dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'changes test listener'`,
      );

      expect(await heard.next()).toBeNull();
      await flows.delete(flow.id, 'any', agreed);
      expect(await heard.next()).toBe(flow.id);
    });
  });
});

const PAGE = { limit: 10, cursor: null };

const agreed = (): void => undefined;

const changed = ({ version, ...flow }: PopulatedFlow, more: Partial<Flow>): FlowChange => ({
  flow: { ...flow, ...more },
  version,
  isNewVersion: false,
});

const aNote = (i: number): FlowNote => ({ id: `note ${i}`, content: 'Ask Bob' });

/** The announced changes; the test takes them one by one. */
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
