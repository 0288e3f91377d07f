import { randomBytes } from 'node:crypto';
import { UnreadableSecretError } from '@millrace/domain';
import { InMemoryDataKeyStore } from '../testing/a-secret-box';
import { DataKeys } from './data-keys';
import { KeyRing, type KeyPurpose, type WrappedKey } from './key-ring';

class CountingStore extends InMemoryDataKeyStore {
  queries = 0;

  override find(id: string): Promise<WrappedKey | null> {
    this.queries++;
    return super.find(id);
  }
  override findOf(purpose: KeyPurpose, projectId: string | null): Promise<WrappedKey | null> {
    this.queries++;
    return super.findOf(purpose, projectId);
  }
}

describe('DataKeys', () => {
  const ring = KeyRing.of({ encryptionKey: randomBytes(32) });

  it('makes one key for an owner, also when many ask at once', async () => {
    const store = new CountingStore();
    const [keys, others] = [new DataKeys(store, ring), new DataKeys(store, ring)];

    const made = await Promise.all([keys, others, keys, others].map((each) => each.of('secrets', 'p')));

    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(store.keys).toHaveLength(1);
  });

  it('asks for a key once, by its owner or by its id', async () => {
    const store = new CountingStore();
    const { id } = await new DataKeys(store, ring).of('secrets', 'p');
    const keys = new DataKeys(store, ring);
    store.queries = 0;

    await Promise.all([keys.find(id), keys.find(id)]);
    await keys.find(id);
    await keys.of('secrets', 'p');

    expect(store.queries).toBe(1);
  });

  it('finds no key that was never made, and asks again later', async () => {
    const store = new CountingStore();
    const keys = new DataKeys(store, ring);

    expect(await keys.findOf('request ids', null)).toBeNull();
    const { key } = await new DataKeys(store, ring).of('request ids', null, Buffer.alloc(32, 7));

    expect((await keys.findOf('request ids', null))?.key).toEqual(key);
  });

  it('keeps a key through a rotation', async () => {
    const [encryptionKey, previousKey] = [randomBytes(32), randomBytes(32)];
    const store = new InMemoryDataKeyStore();
    const { id, key } = await new DataKeys(store, KeyRing.of({ encryptionKey: previousKey })).of('webhooks', 'p');

    const rotated = await new DataKeys(store, KeyRing.of({ encryptionKey, previousKey })).find(id);

    expect(rotated?.key).toEqual(key);
  });
});

describe('a data key whose bytes were moved', () => {
  const [encryptionKey, strange] = [randomBytes(32), randomBytes(32)];

  /** Two projects whose data keys hold the bytes of each other. */
  async function swapped() {
    const store = new InMemoryDataKeyStore();
    const made = new DataKeys(store, KeyRing.of({ encryptionKey }));
    const ids = [
      (await made.of('secrets', 'p')).id,
      (await made.of('secrets', 'q')).id,
      (await made.of('secrets', 'r')).id,
    ];
    const [one, other] = store.keys as [WrappedKey, WrappedKey];
    [one.wrapped, other.wrapped] = [other.wrapped, one.wrapped];
    return { store, ids };
  }

  it('opens for neither project, says which key it is, and disturbs no other one', async () => {
    const { store, ids } = await swapped();
    const keys = new DataKeys(store, KeyRing.of({ encryptionKey }));

    for (const [index, project] of ['p', 'q'].entries()) {
      const message = `It is not possible to open the data key ${ids[index]}`;
      await expect(keys.find(ids[index] ?? '')).rejects.toThrow(message);
      await expect(keys.of('secrets', project)).rejects.toThrow(UnreadableSecretError);
    }
    expect((await keys.find(ids[2] ?? ''))?.projectId).toBe('r');
  });

  it('is not taken for a wrong setting, which only a key that another one wrapped shows', async () => {
    const { store, ids } = await swapped();
    const keys = new DataKeys(store, KeyRing.of({ encryptionKey: strange }));

    await expect(keys.find(ids[0] ?? '')).rejects.toThrow('SVC_ENCRYPTION_KEY is wrong');
  });
});

describe('KeyRing', () => {
  it('needs keys of 32 bytes', () => {
    expect(() => KeyRing.of({ encryptionKey: randomBytes(16) })).toThrow('32 bytes');
    expect(() => KeyRing.of({ encryptionKey: randomBytes(32), previousKey: randomBytes(31) })).toThrow('32 bytes');
  });

  it('opens no data key that was moved to another owner, purpose or id', async () => {
    const ring = KeyRing.of({ encryptionKey: randomBytes(32) });
    const wrapped = ring.wrap({ id: 'a', purpose: 'secrets', projectId: 'p', key: randomBytes(32) });

    for (const moved of [{ id: 'b' }, { purpose: 'request ids' as const }, { projectId: 'q' }, { projectId: null }])
      expect(ring.unwrap({ ...wrapped, ...moved })).toBeNull();
    expect(ring.unwrap(wrapped)).not.toBeNull();
  });
});
