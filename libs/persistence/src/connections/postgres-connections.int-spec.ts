import type { Connection, ConnectionValue, OAuth2Value } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { aSecretBox } from '../testing/a-secret-box';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresConnectionRefreshes } from './postgres-connection-refreshes';
import { PostgresConnectionValues } from './postgres-connection-values';
import { PostgresConnectionRepository } from './postgres-connection.repository';

const CREATED = new Date('2026-03-01T10:00:00.000Z');
const LATER = new Date('2026-03-02T10:00:00.000Z');
const PAGE = { limit: 10, cursor: null };
const SECRET: ConnectionValue = { type: 'SECRET_TEXT', secret_text: 'sk-plain' };

const aToken = (token: string): OAuth2Value => ({
  type: 'OAUTH2',
  client_id: 'millrace',
  client_secret: 'client secret',
  authorization_url: null,
  token_url: 'https://id.test/token',
  scope: '',
  redirect_url: null,
  grant_type: 'client_credentials',
  authorization_method: 'BODY',
  access_token: token,
  refresh_token: null,
  obtained_at: 0,
  expires_at: null,
});

describe('connections', () => {
  const box = aSecretBox();
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let connections: PostgresConnectionRepository;
  let values: PostgresConnectionValues;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'connection test')).initialize();
    pool = openHotPool(database.url, 'connection test');
    connections = new PostgresConnectionRepository(dataSource, box);
    values = new PostgresConnectionValues(pool, box);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    projectId = await seedProject(dataSource);
  });

  const aConnection = (more: Partial<Connection> = {}): Connection => ({
    id: newId(),
    projectId,
    externalId: 'slack',
    displayName: 'Our Slack',
    type: 'SECRET_TEXT',
    status: 'ACTIVE',
    statusReason: null,
    created: CREATED,
    updated: CREATED,
    ...more,
  });
  const valuesOf = async (project: string, externalIds: string[]) =>
    new Map(Array.from(await values.find(project, externalIds), ([id, { value }]) => [id, value]));
  const unknown = (entityId: string) => ({
    code: 'ENTITY_NOT_FOUND',
    params: { entityType: 'connection', entityId },
  });

  describe('upsert', () => {
    it('makes a connection', async () => {
      const connection = aConnection();

      expect(await connections.upsert(connection, SECRET)).toEqual(connection);

      expect(await connections.get(connection.id, [projectId])).toEqual(connection);
    });

    it('replaces value, type and name under the same external id; the id and the time it was made stay', async () => {
      const first = aConnection();
      const basic: ConnectionValue = { type: 'BASIC_AUTH', username: 'ada', password: 'other' };
      await connections.upsert(first, SECRET);

      const second = await connections.upsert(
        aConnection({ displayName: 'Renamed', type: 'BASIC_AUTH', created: LATER, updated: LATER }),
        basic,
      );

      expect(second).toEqual({ ...first, displayName: 'Renamed', type: 'BASIC_AUTH', updated: LATER });
      expect((await connections.list({ projectId }, PAGE)).data).toEqual([second]);
      expect(await valuesOf(projectId, ['slack'])).toEqual(new Map([['slack', basic]]));
    });

    it('makes one connection when many make it at once', async () => {
      const made = await Promise.all(Array.from({ length: 10 }, () => connections.upsert(aConnection(), SECRET)));

      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    });

    it('tells projects with the same external id apart', async () => {
      const other = await seedProject(dataSource);
      const [mine, theirs] = [aConnection(), aConnection({ projectId: other })];

      await connections.upsert(mine, SECRET);
      await connections.upsert(theirs, { type: 'SECRET_TEXT', secret_text: 'theirs' });

      expect(await valuesOf(projectId, ['slack'])).toEqual(new Map([['slack', SECRET]]));
      await expect(connections.get(theirs.id, [projectId])).rejects.toMatchObject(unknown(theirs.id));
    });

    it('leaves nothing of a secret to be read in the table, or opened in another row', async () => {
      await connections.upsert(aConnection(), SECRET);
      await connections.upsert(aConnection({ externalId: 'thief' }), { type: 'SECRET_TEXT', secret_text: 'own' });

      const { rows } = await pool.query<{ value: Buffer }>(
        `update connection set value = (select value from connection where project_id = $1 and external_id = 'slack')
         where project_id = $1 and external_id = 'thief' returning value`,
        [projectId],
      );

      expect(rows[0]?.value.includes('sk-plain')).toBe(false);
      expect((await values.find(projectId, ['thief'])).get('thief')?.problem).toMatch(
        /^It is not possible to open the/,
      );
    });

    it.each<[string, ConnectionValue, ConnectionValue]>([
      ['secret texts', SECRET, { type: 'SECRET_TEXT', secret_text: 'other' }],
      ['OAuth tokens', aToken('one'), aToken('other')],
    ])('opens neither of two %s whose bytes were swapped, and the others as before', async (_, first, second) => {
      const [one, other, third] = ['one', 'other', 'third'].map((externalId) => aConnection({ externalId }));
      await connections.upsert({ ...one, type: first.type } as Connection, first);
      await connections.upsert({ ...other, type: second.type } as Connection, second);
      await connections.upsert(third as Connection, SECRET);

      await pool.query(
        `update connection set value = (select value from connection where id = swapped.from_id)
         from (values ($1::uuid, $2::uuid), ($2, $1)) as swapped (id, from_id) where connection.id = swapped.id`,
        [one?.id, other?.id],
      );

      const found = await values.find(projectId, ['one', 'other', 'third']);
      const problem = (id: string) =>
        `It is not possible to open the value of the connection ${id}: the stored bytes were changed, or belong to another row.`;
      expect(Object.fromEntries(found)).toMatchObject({
        one: { problem: problem('one') },
        other: { problem: problem('other') },
        third: { value: SECRET },
      });
      const refreshes = new PostgresConnectionRefreshes(pool, box);
      expect(await refreshes.claim(one?.id ?? '')).toBeNull();
      expect((await connections.get(one?.id ?? '', [projectId])).externalId).toBe('one');
    });

    it('keeps names that PostgreSQL cannot hold readable', async () => {
      const kept = await connections.upsert(aConnection({ externalId: 'a\0', displayName: 'b\0' }), SECRET);

      expect(await connections.get(kept.id, 'any')).toEqual(kept);
      expect([...(await valuesOf(projectId, ['a\0'])).values()]).toEqual([SECRET]);
    });
  });

  it('are told by events without their values', async () => {
    await seedDestination(pool, projectId, { events: ['connection.upserted', 'connection.deleted'] });
    const connection = aConnection();

    await connections.upsert(connection, SECRET);
    await connections.delete(connection.id, [projectId]);

    const { rows } = await pool.query(
      `select type, data from event_delivery where data ->> 'id' = $1 order by created`,
      [connection.id],
    );
    const data: unknown = JSON.parse(JSON.stringify(connection));
    expect(rows).toEqual([
      { type: 'connection.upserted', data },
      { type: 'connection.deleted', data },
    ]);
  });

  describe('list', () => {
    it('pages newest first, and knows which connections are asked for', async () => {
      for (const externalId of ['one', 'two', 'three']) await connections.upsert(aConnection({ externalId }), SECRET);
      const names = (page: { data: readonly Connection[] }) => page.data.map(({ externalId }) => externalId);

      const first = await connections.list({ projectId }, { limit: 2, cursor: null });

      expect(names(first)).toEqual(['three', 'two']);
      expect(names(await connections.list({ projectId }, { limit: 2, cursor: first.next }))).toEqual(['one']);
      expect(names(await connections.list({ projectId, externalIds: ['one', 'three', 'four'] }, PAGE))).toEqual([
        'three',
        'one',
      ]);
      expect(names(await connections.list({ projectId, externalIds: [] }, PAGE))).toEqual([]);
      expect(names(await connections.list({ projectId: 'no-id' }, PAGE))).toEqual([]);
    });
  });

  describe('delete', () => {
    it('removes a connection once, and none of a foreign project', async () => {
      const { id } = await connections.upsert(aConnection(), SECRET);

      await expect(connections.delete(id, [anId()])).rejects.toMatchObject(unknown(id));
      await connections.delete(id, [projectId]);

      await expect(connections.delete(id, 'any')).rejects.toMatchObject(unknown(id));
      await expect(connections.get(id, 'any')).rejects.toMatchObject(unknown(id));
      expect(await valuesOf(projectId, ['slack'])).toEqual(new Map());
    });

    it.each(['get', 'delete'] as const)('%s knows no connection of a malformed id', async (method) => {
      await expect(connections[method]('no-id', 'any')).rejects.toMatchObject(unknown('no-id'));
    });
  });

  describe('values', () => {
    it('come back as they were given, and are absent where there is no connection', async () => {
      const custom: ConnectionValue = { type: 'CUSTOM_AUTH', props: { key: 'a', nested: { list: [1, null] } } };
      await connections.upsert(aConnection(), SECRET);
      await connections.upsert(aConnection({ externalId: 'custom', type: 'CUSTOM_AUTH' }), custom);

      expect(await valuesOf(projectId, ['custom', 'slack', 'none'])).toEqual(
        new Map<string, ConnectionValue>([
          ['slack', SECRET],
          ['custom', custom],
        ]),
      );
      expect(await valuesOf(projectId, [])).toEqual(new Map());
      expect(await valuesOf('no-id', ['slack'])).toEqual(new Map());
    });
  });
});
