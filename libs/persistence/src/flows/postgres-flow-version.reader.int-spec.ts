import { ServiceUnavailableError, type FlowStatus, type FlowVersion } from '@millrace/domain';
import { aFlow, aFlowVersion, anId, builtInTrigger, codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresFlowVersionReader } from './postgres-flow-version.reader';
import { PostgresFlowRepository } from './postgres-flow.repository';

describe('PostgresFlowVersionReader', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let flows: PostgresFlowRepository;
  let reader: PostgresFlowVersionReader;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'reader test')).initialize();
    pool = openHotPool(database.url, 'reader test');
    flows = new PostgresFlowRepository(dataSource, aSecretBox());
    reader = new PostgresFlowVersionReader(pool);
    projectId = await seedProject(dataSource);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  const insertedFlow = async (status: FlowStatus, publishedVersionId: string | null): Promise<string> => {
    const flow = aFlow({ projectId, id: newId(), status, publishedVersionId });
    await flows.insert(flow, aFlowVersion([], { id: publishedVersionId ?? newId(), flowId: flow.id }));
    return flow.id;
  };
  const insertedVersion = async (more: Partial<FlowVersion> = {}): Promise<FlowVersion> => {
    const flow = aFlow({ projectId, id: newId() });
    const version = aFlowVersion([codeStep('step_1')], { id: newId(), flowId: flow.id, ...more });
    await flows.insert(flow, version);
    return version;
  };

  it('lists the published versions of enabled flows, the newest first', async () => {
    const [older, newer] = [newId(), newId()];
    await insertedFlow('ENABLED', older);
    await insertedFlow('DISABLED', newId());
    await insertedFlow('DISABLED', null);
    await insertedFlow('ENABLED', newer);

    expect(await reader.enabledVersions(2)).toEqual([newer, older]);
    expect(await reader.enabledVersions(1)).toEqual([newer]);
  });

  describe('findPublished', () => {
    it('answers many askers at once: published, disabled, unpublished and unknown flows', async () => {
      const versionId = newId();
      const published = await insertedFlow('ENABLED', versionId);
      const disabled = await insertedFlow('DISABLED', null);

      const asked = [published, disabled, anId(), 'no-id', published.toUpperCase()];
      const found = await Promise.all(asked.map((id) => reader.findPublished(id)));

      const expected = {
        ...{ flowId: published, projectId, status: 'ENABLED', publishedVersionId: versionId },
        triggerPiece: 'webhook',
        triggerInput: {},
        packageWebhook: null,
        enablingWebhook: null,
      };
      expect(found).toEqual([
        expected,
        {
          flowId: disabled,
          projectId,
          status: 'DISABLED',
          publishedVersionId: null,
          triggerPiece: null,
          triggerInput: null,
          packageWebhook: null,
          enablingWebhook: null,
        },
        null,
        null,
        expected,
      ]);
    });

    it('says of the trigger of an installed package that it takes webhooks, and how its handshakes are known', async () => {
      const handshake = { strategy: 'HEADER_PRESENT', paramName: 'x' };
      const triggers = { called: { type: 'WEBHOOK', handshakeConfiguration: handshake }, polled: { type: 'POLLING' } };
      await pool.query(
        `insert into piece_package (id, name, version, state, description) values ($1, 'piece-b', '1.0.0', 'INSTALLED', $2)`,
        [newId(), JSON.stringify({ triggers })],
      );
      const webhookOf = async (triggerName: string, pieceVersion = '1.0.0') => {
        const trigger = builtInTrigger('piece-b', triggerName);
        const settings = { ...trigger.settings, pieceVersion };
        const { flowId } = await insertedVersion({ trigger: { ...trigger, settings } as FlowVersion['trigger'] });
        const draft = await reader.findDraft(flowId);
        return (
          draft?.packageWebhook && {
            ...draft.packageWebhook,
            versionId: draft.versionId === draft.packageWebhook.versionId,
          }
        );
      };

      expect(await webhookOf('called')).toEqual({ versionId: true, handshake });
      expect(await webhookOf('polled')).toBeNull();
      expect(await webhookOf('none')).toBeNull();
      expect(await webhookOf('called', '2.0.0')).toBeNull();
    });

    it('says of a trigger of a package that is being enabled how its handshakes are known', async () => {
      const handshake = { strategy: 'HEADER_PRESENT', paramName: 'y' };
      await pool.query(
        `insert into piece_package (id, name, version, state, description) values ($1, 'piece-c', '1.0.0', 'INSTALLED', $2)`,
        [newId(), JSON.stringify({ triggers: { called: { type: 'WEBHOOK', handshakeConfiguration: handshake } } })],
      );
      const trigger = builtInTrigger('piece-c', 'called');
      const settings = { ...trigger.settings, pieceVersion: '1.0.0' };
      const { id, flowId } = await insertedVersion({ trigger: { ...trigger, settings } as FlowVersion['trigger'] });
      const triggers = JSON.stringify({ off: [], on: { flowVersionId: id }, restore: null });
      await pool.query(
        `insert into trigger_operation (id, flow_id, project_id, kind, triggers, due_at)
         values ($1, $2, $3, 'ENABLING', $4, now())`,
        [newId(), flowId, projectId, triggers],
      );

      expect(await reader.findPublished(flowId)).toMatchObject({
        publishedVersionId: null,
        triggerPiece: null,
        packageWebhook: null,
        enablingWebhook: { versionId: id, handshake },
      });
    });
  });

  describe('findDraft', () => {
    it('answers with the latest version, whether the flow is enabled or not', async () => {
      const version = await insertedVersion({ valid: false });

      const found = await reader.findDraft(version.flowId.toUpperCase());
      expect(found).toEqual({
        flowId: version.flowId,
        projectId,
        versionId: version.id,
        isValid: false,
        triggerPiece: 'webhook',
        triggerInput: {},
        triggerName: version.trigger.name,
        packageWebhook: null,
      });
      for (const unknown of [anId(), 'no-id']) expect(await reader.findDraft(unknown)).toBeNull();
    });
  });

  describe('findCallable', () => {
    const insertedCallable = async (externalId: string, status: FlowStatus = 'ENABLED'): Promise<string> => {
      const versionId = newId();
      const flow = aFlow({ projectId, id: newId(), externalId, status, publishedVersionId: versionId });
      await flows.insert(flow, aFlowVersion([], { id: versionId, flowId: flow.id }));
      return flow.id;
    };

    it('finds a flow by its id, in either case, and by its external id', async () => {
      const flowId = await insertedCallable('orders');

      for (const name of [flowId, flowId.toUpperCase(), 'orders'])
        expect(await reader.findCallable(projectId, name)).toMatchObject({ flowId, projectId, status: 'ENABLED' });
    });

    it('takes the id before an external id that reads like it', async () => {
      const flowId = await insertedCallable('first');
      await insertedCallable(flowId);

      expect(await reader.findCallable(projectId, flowId)).toMatchObject({ flowId });
    });

    it('takes an enabled flow before an older one that is not', async () => {
      await insertedCallable('shared', 'DISABLED');
      const enabled = await insertedCallable('shared');

      expect(await reader.findCallable(projectId, 'shared')).toMatchObject({ flowId: enabled });
    });

    it('finds nothing in another project, under an unknown name or a hostile one', async () => {
      const flowId = await insertedCallable('mine');

      expect(await reader.findCallable(newId(), flowId)).toBeNull();
      expect(await reader.findCallable(newId(), 'mine')).toBeNull();
      for (const name of ['nobody', '', "'; drop table flow", 'a\0b'])
        expect(await reader.findCallable(projectId, name)).toBeNull();
    });
  });

  describe('getVersion', () => {
    it('gives back what was inserted, keys of the definition in their order', async () => {
      const trigger = {
        ...webhookTrigger(),
        settings: { z: 1, a: { y: 2, b: 3 } },
      } as unknown as FlowVersion['trigger'];
      const version = await insertedVersion({ trigger, notes: [{ id: 'note', content: 'Ask Bob', b: 1, a: 2 }] });

      const found = await reader.getVersion(version.id);

      expect(found).toEqual(version);
      expect(JSON.stringify(found.trigger)).toBe(JSON.stringify(trigger));
    });

    it('gives the version of a flow that is gone, since its runs may be under way', async () => {
      const version = await insertedVersion();
      await flows.delete(version.flowId, 'any', () => undefined);

      expect(await reader.getVersion(version.id)).toEqual(version);
    });

    it.each([
      ['unknown', anId()],
      ['malformed', "'; drop table flow"],
    ])('does not find a version that is %s', async (_, versionId) => {
      await expect(reader.getVersion(versionId)).rejects.toMatchObject({
        code: 'ENTITY_NOT_FOUND',
        params: { entityType: 'flow_version', entityId: versionId },
      });
    });
  });

  it('says that the database is away, so that a step that asks goes on later', async () => {
    const gone = openHotPool(database.url, 'reader test');
    await gone.end();
    const away = new PostgresFlowVersionReader(gone);

    await expect(away.findCallable(projectId, 'flow')).rejects.toBeInstanceOf(ServiceUnavailableError);
    await expect(away.findPublished(anId())).rejects.toBeInstanceOf(ServiceUnavailableError);
    await expect(away.getVersion(anId())).rejects.toBeInstanceOf(ServiceUnavailableError);
  });
});
