import { hkdfSync, randomBytes } from 'node:crypto';
import { webhookKeyOf } from '@millrace/domain';
import { aFlow, aFlowVersion } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { connectionPlace } from '../connections/sealed-value';
import { eventSecretPlace } from '../event-destinations/sealed-secret';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { triggerSecretPlace } from '../flows/sealed-trigger-secret';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { DataKeys } from '../secrets/data-keys';
import { encrypt } from '../secrets/encryption';
import { KeyRing } from '../secrets/key-ring';
import { PostgresDataKeyStore } from '../secrets/postgres-data-key-store';
import { SecretBox, type SecretPlace } from '../secrets/secret-box';
import { aSecretBox } from '../testing/a-secret-box';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { makeInstallationKeys, openStoredKeys, resealFormerSecrets } from './prepare-secrets';
import { rotateEncryptionKey } from './rotate-encryption-key';

const [OLD, NEW, STRANGE] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const ring = (encryptionKey: Buffer, previousKey?: Buffer) => KeyRing.of({ encryptionKey, previousKey });

const ringOfGateway = (encryptionKey: Buffer, previous?: Buffer) =>
  KeyRing.ofWebhooks({
    webhookKey: webhookKeyOf(encryptionKey),
    previousKey: previous && webhookKeyOf(previous),
  });

/** A secret in the database, with the statement that reads it. */
interface Stored {
  place: SecretPlace;
  table: 'connection' | 'trigger_secret' | 'event_destination';
  column: 'value' | 'secret';
  id: string;
}

describe('the keys of stored secrets', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'key test')).initialize();
    pool = openHotPool(database.url, 'key test');
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('delete from data_key; delete from connection; delete from event_destination; delete from flow');
    projectId = await seedProject(dataSource);
  });

  const boxWith = (keys: KeyRing) => new SecretBox(new DataKeys(new PostgresDataKeyStore(pool), keys), keys);

  async function aConnection(externalId: string): Promise<Stored> {
    const id = newId();
    await pool.query(
      `insert into connection (id, project_id, external_id, display_name, type, value, created, updated)
       values ($1, $2, $3, 'A', 'SECRET_TEXT', '', now(), now())`,
      [id, projectId, externalId],
    );
    return { place: connectionPlace({ id, projectId, externalId }), table: 'connection', column: 'value', id };
  }
  async function aTriggerSecret(): Promise<Stored> {
    const [flowId, id] = [newId(), newId()];
    const flow = aFlow({ projectId, id: flowId });
    const version = aFlowVersion([], { id: newId(), flowId, state: 'DRAFT' });
    await new PostgresFlowRepository(dataSource, aSecretBox()).insert(flow, version);
    await pool.query(`insert into trigger_secret (flow_id, id, project_id, value) values ($1, $2, $3, '')`, [
      flowId,
      id,
      projectId,
    ]);
    return { place: triggerSecretPlace({ projectId, flowId, id }), table: 'trigger_secret', column: 'value', id };
  }
  async function aDestination(): Promise<Stored> {
    const id = await seedDestination(pool, projectId);
    return { place: eventSecretPlace({ id, projectId }), table: 'event_destination', column: 'secret', id };
  }
  const write = ({ table, column, id }: Stored, sealed: Buffer) =>
    pool.query(`update ${table} set ${column} = $2 where id = $1`, [id, sealed]);
  const read = async ({ table, column, id }: Stored) =>
    (await pool.query<{ sealed: Buffer }>(`select ${column} as sealed from ${table} where id = $1`, [id])).rows[0]
      ?.sealed as Buffer;
  const sealFormer = (stored: Stored, text: string, key = OLD) =>
    write(stored, Buffer.concat([Buffer.of(1), encrypt(key, Buffer.from(text), stored.place.formerContext)]));
  const wrappedBy = async () =>
    (await pool.query<{ fingerprint: string }>('select distinct wrapped_by as fingerprint from data_key')).rows.map(
      ({ fingerprint }) => fingerprint,
    );

  it('seal again what the encryption key itself had sealed, once', async () => {
    const secrets = [await aConnection('crm'), await aTriggerSecret(), await aDestination()];
    for (const [i, secret] of secrets.entries()) await sealFormer(secret, `text ${i}`);

    expect(await resealFormerSecrets(pool, ring(OLD))).toEqual({ resealed: 3, unreadable: [] });
    expect(await resealFormerSecrets(pool, ring(OLD))).toEqual({ resealed: 0, unreadable: [] });

    for (const [i, secret] of secrets.entries()) {
      const sealed = await read(secret);
      expect(sealed[0]).toBe(2);
      expect(await boxWith(ring(OLD)).open(sealed, secret.place)).toBe(`text ${i}`);
    }
  });

  it('leave a secret of the first format that does not open as it is, and name it', async () => {
    const [good, bad] = [await aConnection('good'), await aConnection('bad')];
    await sealFormer(good, 'text');
    await sealFormer(bad, 'text', STRANGE);

    const result = await resealFormerSecrets(pool, ring(OLD));

    expect(result).toEqual({ resealed: 1, unreadable: ['the value of the connection bad'] });
    expect((await read(bad))[0]).toBe(1);
  });

  it('are wrapped by the new key after a rotation, and open without the old one', async () => {
    const secrets = [await aConnection('crm'), await aTriggerSecret(), await aDestination()];
    for (const secret of secrets) await write(secret, await boxWith(ring(OLD)).seal('text', secret.place));
    const before = await Promise.all(secrets.map(read));

    const first = await rotateEncryptionKey(pool, ring(NEW, OLD));
    const again = await rotateEncryptionKey(pool, ring(NEW, OLD));

    expect(first).toEqual({ rewrapped: 2, resealed: 0, unreadable: [] });
    expect(again).toEqual({ rewrapped: 0, resealed: 0, unreadable: [] });
    expect(await Promise.all(secrets.map(read))).toEqual(before);
    for (const [i, secret] of secrets.entries())
      expect(await boxWith(ring(NEW)).open(before[i] as Buffer, secret.place)).toBe('text');
    await expect(openStoredKeys(pool, ring(NEW))).resolves.toBeUndefined();
    await expect(openStoredKeys(pool, ring(OLD))).rejects.toThrow('SVC_ENCRYPTION_KEY is wrong');
  });

  it('of webhooks open at the gateway before, during and after a rotation', async () => {
    const secret = await aTriggerSecret();
    await write(secret, await boxWith(ring(OLD)).seal('text', secret.place));
    await makeInstallationKeys(pool, ring(OLD));
    const [before, during, after] = [ringOfGateway(OLD), ringOfGateway(NEW, OLD), ringOfGateway(NEW)];
    const opened = async (keys: KeyRing) => {
      await openStoredKeys(pool, keys);
      return boxWith(keys).open(await read(secret), secret.place);
    };

    expect([await opened(before), await opened(during)]).toEqual(['text', 'text']);
    await expect(opened(after)).rejects.toThrow('SVC_WEBHOOK_KEY is wrong');
    await rotateEncryptionKey(pool, ring(NEW, OLD));

    expect([await opened(during), await opened(after)]).toEqual(['text', 'text']);
    await expect(opened(before)).rejects.toThrow('SVC_WEBHOOK_KEY is wrong');
  });

  it('are all rotated by a second call after the first was killed at any statement', async () => {
    const secret = await aConnection('crm');
    await sealFormer(secret, 'text');
    await makeInstallationKeys(pool, ring(OLD));
    let statements = 0;
    for (let lives = 1; ; lives++) {
      statements = 0;
      const mortal = {
        query: (...args: unknown[]): unknown => {
          if (++statements > lives) throw new Error('killed');
          return (pool.query as (...all: unknown[]) => unknown).apply(pool, args);
        },
      } as Pick<Pool, 'query'>;
      const done = await rotateEncryptionKey(mortal, ring(NEW, OLD)).then(
        () => true,
        () => false,
      );
      expect(await boxWith(ring(NEW, OLD)).open(await read(secret), secret.place)).toBe('text');
      if (done) break;
    }

    expect(statements).toBeGreaterThan(10);
    expect(await wrappedBy()).toHaveLength(2);
    expect(await boxWith(ring(NEW)).open(await read(secret), secret.place)).toBe('text');
  });

  it('refuse a start with a key that opens nothing that is stored, in either format', async () => {
    await expect(openStoredKeys(pool, ring(STRANGE))).resolves.toBeUndefined();
    await sealFormer(await aConnection('crm'), 'text');
    await expect(openStoredKeys(pool, ring(STRANGE))).rejects.toThrow('SVC_ENCRYPTION_KEY is wrong');
    await expect(openStoredKeys(pool, ring(STRANGE, OLD))).resolves.toBeUndefined();

    await makeInstallationKeys(pool, ring(OLD));

    await expect(openStoredKeys(pool, ring(OLD))).resolves.toBeUndefined();
    await expect(openStoredKeys(pool, ring(STRANGE))).rejects.toThrow('SVC_ENCRYPTION_KEY is wrong');
  });

  it('do not open either of two secrets whose bytes were swapped', async () => {
    const box = boxWith(ring(OLD));
    const [one, other] = [await aConnection('one'), await aConnection('other')];
    for (const secret of [one, other]) await write(secret, await box.seal(secret.id, secret.place));
    const [first, second] = [await read(one), await read(other)];

    await write(one, second);
    await write(other, first);

    await expect(box.open(await read(one), one.place)).rejects.toThrow(
      'It is not possible to open the value of the connection one: the stored bytes were changed, or belong to another row.',
    );
    await expect(box.open(await read(other), other.place)).rejects.toThrow('connection other');
  });

  it('of the installation are random at first, and those of an older installation are kept', async () => {
    const keyOf = async (purpose: 'file links' | 'request ids') =>
      (await new DataKeys(new PostgresDataKeyStore(pool), ring(OLD)).findOf(purpose, null))?.key;
    const derived = Buffer.from(hkdfSync('sha256', OLD, '', 'millrace request ids', 32));

    await makeInstallationKeys(pool, ring(OLD));
    expect(await keyOf('request ids')).not.toEqual(derived);
    await pool.query('delete from data_key');
    await aTriggerSecret();
    await makeInstallationKeys(pool, ring(NEW, OLD));
    await rotateEncryptionKey(pool, ring(OLD, NEW));

    expect(await keyOf('request ids')).toEqual(derived);
    expect(await keyOf('file links')).toEqual(Buffer.from(hkdfSync('sha256', OLD, '', 'millrace file links', 32)));
  });

  it('go with their project', async () => {
    await new DataKeys(new PostgresDataKeyStore(pool), ring(OLD)).of('secrets', projectId);

    await pool.query('delete from project where id = $1', [projectId]);

    expect((await pool.query('select from data_key')).rowCount).toBe(0);
  });
});
