import type { Connection, ConnectionValue, FlowTrigger, OAuth2Value } from '@millrace/domain';
import { ServiceUnavailableError, webhookKeyOf } from '@millrace/domain';
import { aFlow, aFlowVersion, webhookTrigger } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { shareConnectionsOfWebhooks } from '../key-rotation/prepare-secrets';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { KeyRing } from '../secrets/key-ring';
import { PostgresDataKeyStore } from '../secrets/postgres-data-key-store';
import type { SecretBox } from '../secrets/secret-box';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresConnectionRefreshes } from './postgres-connection-refreshes';
import { PostgresConnectionSharing } from './postgres-connection-sharing';
import { PostgresConnectionRepository } from './postgres-connection.repository';
import { PostgresSharedConnections } from './postgres-shared-connections';

const CREATED = new Date('2026-03-01T10:00:00.000Z');
const secret = (secret_text: string): ConnectionValue => ({ type: 'SECRET_TEXT', secret_text });

describe('connections that are shared with the gateway', () => {
  const encryptionKey = randomBytes(32);
  const ring = KeyRing.of({ encryptionKey });
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let connections: PostgresConnectionRepository;
  let flows: PostgresFlowRepository;
  let refreshes: PostgresConnectionRefreshes;
  let sharing: PostgresConnectionSharing;
  let box: SecretBox;
  let gateway: PostgresSharedConnections;
  let projectId: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'sharing test')).initialize();
    pool = openHotPool(database.url, 'sharing test');
    const store = new PostgresDataKeyStore(pool);
    box = aSecretBox(store, ring);
    connections = new PostgresConnectionRepository(dataSource, box);
    flows = new PostgresFlowRepository(dataSource, box);
    refreshes = new PostgresConnectionRefreshes(pool, box);
    sharing = new PostgresConnectionSharing(pool, box);
    const keyOfGateway = KeyRing.ofWebhooks({ webhookKey: webhookKeyOf(encryptionKey) });
    gateway = new PostgresSharedConnections(pool, aSecretBox(store, keyOfGateway));
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    projectId = await seedProject(dataSource);
  });

  const upsert = (value: ConnectionValue, externalId = 'crm'): Promise<Connection> =>
    connections.upsert(
      {
        id: newId(),
        projectId,
        externalId,
        displayName: 'A',
        type: value.type,
        status: 'ACTIVE',
        statusReason: null,
        created: CREATED,
        updated: CREATED,
      },
      value,
    );
  const shared = async (...externalIds: string[]) => Object.fromEntries(await gateway.find(projectId, externalIds));
  const sharedBytes = async () =>
    (
      await pool.query<{ value: Buffer }>(
        'select value from shared_connection where project_id = $1 and value is not null',
        [projectId],
      )
    ).rows.map(({ value }) => value);
  const notShared = (...externalIds: string[]) =>
    expect(gateway.find(projectId, externalIds)).rejects.toThrow(ServiceUnavailableError);
  const checkedBy = (externalId: string): FlowTrigger =>
    webhookTrigger([], { authType: 'github', authFields: { secret: `{{connections['${externalId}']}}` } });
  async function aFlowWith(trigger: FlowTrigger): Promise<string> {
    const flow = aFlow({ projectId, id: newId() });
    await flows.insert(flow, aFlowVersion([], { id: newId(), flowId: flow.id, state: 'DRAFT', trigger }));
    return flow.id;
  }

  it('read as expressions read them, without the other parts of their values', async () => {
    const oauth2 = { type: 'OAUTH2', access_token: 'token', refresh_token: 'next' } as unknown as ConnectionValue;
    await Promise.all([upsert(secret('one')), upsert(oauth2, 'mail'), upsert(secret('not shared'), 'other')]);

    await notShared('crm');
    await sharing.share(projectId, ['crm', 'mail', 'missing', 'crm']);

    expect(await shared('mail', 'crm', 'missing')).toEqual({ crm: 'one', mail: { access_token: 'token' } });
    expect(await gateway.find('no-id', ['crm'])).toEqual(new Map());
    await notShared('crm', 'other');
    expect((await sharedBytes()).some((value) => value.includes('token'))).toBe(false);
  });

  it('follow what becomes of the connection', async () => {
    await sharing.share(projectId, ['crm']);
    expect(await shared('crm')).toEqual({});
    const { id } = await upsert(secret('one'));
    expect(await shared('crm')).toEqual({ crm: 'one' });
    await upsert(secret('two'));
    expect(await shared('crm')).toEqual({ crm: 'two' });

    await pool.query(`update connection set status = 'ERROR', status_reason = 'It was revoked.' where id = $1`, [id]);
    expect(await shared('crm')).toEqual({});
    await upsert(secret('three'));
    expect(await shared('crm')).toEqual({ crm: 'three' });

    await connections.delete(id, [projectId]);
    expect(await shared('crm')).toEqual({});
    expect(await sharedBytes()).toEqual([]);
    await upsert(secret('four'));
    expect(await shared('crm')).toEqual({ crm: 'four' });
  });

  it('have the new access token after a refresh, unless the claim was lost', async () => {
    const value = { type: 'OAUTH2', access_token: 'old', refresh_token: 'r' } as unknown as OAuth2Value;
    const { id } = await upsert(value, 'mail');
    await sharing.share(projectId, ['mail']);
    const claim = (await refreshes.claim(id))!;

    await refreshes.settle({ ...claim, epoch: claim.epoch - 1 }, { value: { ...value, access_token: 'lost' } });
    expect(await shared('mail')).toEqual({ mail: { access_token: 'old' } });
    await refreshes.settle(claim, { value: { ...value, access_token: 'new' } });
    expect(await shared('mail')).toEqual({ mail: { access_token: 'new' } });
  });

  it('are never older than the connection, whoever writes at the same time', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
    await Promise.all(names.flatMap((name) => [upsert(secret('last'), name), sharing.share(projectId, [name])]));

    expect(await shared(...names)).toEqual(Object.fromEntries(names.map((name) => [name, 'last'])));
  });

  it('are shared also when they change each time that they are read', async () => {
    await upsert(secret('at first'));
    let seals = 0;
    const seal: SecretBox['seal'] = async (...args) => {
      if (++seals <= 3) await upsert(secret(`change ${seals}`));
      return box.seal(...args);
    };
    const boxThatIsLate = Object.assign(Object.create(box) as SecretBox, { seal });

    await new PostgresConnectionSharing(pool, boxThatIsLate).share(projectId, ['crm']);

    expect(await shared('crm')).toEqual({ crm: 'change 3' });
    expect(seals).toBe(4);
  });

  it('are those that the trigger of a webhook names, also when they are made later', async () => {
    const flowId = await aFlowWith(checkedBy('crm'));
    await upsert(secret('one'));
    await flows.change(flowId, 'any', ({ version, ...flow }) => ({
      flow,
      version: { ...version, trigger: checkedBy('next') },
      isNewVersion: false,
    }));

    expect(await shared('crm', 'next')).toEqual({ crm: 'one' });
    await notShared('other');
  });

  it('are shared at the start of the api when an earlier release wrote the flow', async () => {
    await aFlowWith(checkedBy('crm'));
    await upsert(secret('one'));
    await pool.query('delete from shared_connection');
    await notShared('crm');

    for (const _ of [1, 2]) await shareConnectionsOfWebhooks(pool, ring);

    expect(await shared('crm')).toEqual({ crm: 'one' });
  });

  it('do not open at another place, and go with their project', async () => {
    await Promise.all([upsert(secret('one')), upsert(secret('two'), 'thief')]);
    await sharing.share(projectId, ['crm', 'thief']);
    await pool.query(
      `update shared_connection set value = crm.value from shared_connection crm
       where crm.project_id = $1 and crm.external_id = 'crm'
         and shared_connection.project_id = $1 and shared_connection.external_id = 'thief'`,
      [projectId],
    );

    expect(await shared('crm', 'thief')).toEqual({ crm: 'one' });
    await pool.query('delete from connection where project_id = $1', [projectId]);
    await pool.query('delete from project where id = $1', [projectId]);
    expect(await sharedBytes()).toEqual([]);
    await sharing.share(projectId, ['another']);
    await notShared('another');
  });
});
