import { randomBytes } from 'node:crypto';
import { EntityNotFoundError, UnreadableSecretError } from '@millrace/domain';
import type { Pool } from 'pg';
import { rotateEncryptionKey } from '../key-rotation/rotate-encryption-key';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { DataKeys } from '../secrets/data-keys';
import { KeyRing } from '../secrets/key-ring';
import { PostgresDataKeyStore } from '../secrets/postgres-data-key-store';
import { SecretBox } from '../secrets/secret-box';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresOAuthApps } from './postgres-oauth-apps';

const SLACK = '@activepieces/piece-slack';
const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const MADE = new Date('2026-03-01T10:00:00.000Z');
const LATER = new Date('2026-03-02T10:00:00.000Z');
const SECRETS = { clientSecret: 'client secret', webhookSecret: 'signing secret' };

describe('apps of providers in PostgreSQL', () => {
  let database: TestDatabase;
  let pool: Pool;
  let apps: PostgresOAuthApps;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'oauth app test');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('delete from oauth_app; delete from data_key');
    apps = appsWith(KeyRing.of({ encryptionKey: OLD }));
  });

  const appsWith = (ring: KeyRing) =>
    new PostgresOAuthApps(pool, new SecretBox(new DataKeys(new PostgresDataKeyStore(pool), ring), ring));
  const anApp = (pieceName: string, clientId = 'client', at = MADE) => ({
    ...{ id: newId(), pieceName, clientId },
    ...{ created: at, updated: at },
  });

  it('are listed by their pieces, and no stored byte shows a secret', async () => {
    const slack = await apps.upsert(anApp(SLACK), SECRETS);
    const acme = await apps.upsert(anApp('@acme/piece-notes'), { clientSecret: 'another', webhookSecret: null });

    expect(await apps.list()).toEqual([acme, slack]);
    expect(await apps.find(SLACK)).toEqual(slack);
    expect(await apps.find('@acme/none')).toBeNull();
    expect([slack.hasWebhookSecret, acme.hasWebhookSecret]).toEqual([true, false]);
    expect(await apps.secretsOf(slack)).toEqual(SECRETS);
    const { rows } = await pool.query('select oauth_app.*, encode(secrets, $1) as text from oauth_app', ['escape']);
    expect(JSON.stringify(rows)).not.toMatch(/secret"?:?"?client secret|signing secret|another/);
  });

  it('are replaced with their secrets, and keep their id and the moment when they were made', async () => {
    const first = await apps.upsert(anApp(SLACK), SECRETS);

    const second = await apps.upsert(anApp(SLACK, 'newer', LATER), { clientSecret: 'newer', webhookSecret: null });

    expect(second).toEqual({ ...first, clientId: 'newer', hasWebhookSecret: false, updated: LATER });
    expect(await apps.secretsOf(first)).toEqual({ clientSecret: 'newer', webhookSecret: null });
  });

  it('are deleted once', async () => {
    const app = await apps.upsert(anApp(SLACK), SECRETS);

    expect(await apps.delete(SLACK)).toEqual(app);
    await expect(apps.delete(SLACK)).rejects.toThrow(EntityNotFoundError);
    await expect(apps.secretsOf(app)).rejects.toThrow(EntityNotFoundError);
  });

  it('open after a rotation of the encryption key, without the old one', async () => {
    const app = await apps.upsert(anApp(SLACK), SECRETS);

    await rotateEncryptionKey(pool, KeyRing.of({ encryptionKey: NEW, previousKey: OLD }));

    expect(await appsWith(KeyRing.of({ encryptionKey: NEW })).secretsOf(app)).toEqual(SECRETS);
  });

  it('do not open when their bytes were moved to another app', async () => {
    const [slack, acme] = [await apps.upsert(anApp(SLACK), SECRETS), await apps.upsert(anApp('@acme/notes'), SECRETS)];
    await pool.query('update oauth_app set secrets = (select secrets from oauth_app where id = $1)', [slack.id]);

    await expect(apps.secretsOf(acme)).rejects.toThrow(UnreadableSecretError);
  });
});
