import { randomBytes } from 'node:crypto';
import { ServiceUnavailableError, UnreadableSecretError, webhookKeyOf } from '@millrace/domain';
import { aSecretBox, InMemoryDataKeyStore } from '../testing/a-secret-box';
import { encrypt } from './encryption';
import { KeyRing } from './key-ring';
import type { SecretPlace } from './secret-box';

const PROJECT = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c11';
const place = (more: Partial<SecretPlace> = {}): SecretPlace => ({
  name: 'the secret of a test',
  table: 'connection',
  row: ['one'],
  projectId: PROJECT,
  purpose: 'secrets',
  formerContext: 'here',
  ...more,
});
const sealedBefore = (key: Buffer, text: string, context = 'here'): Buffer =>
  Buffer.concat([Buffer.of(1), encrypt(key, Buffer.from(text), context)]);

describe('SecretBox', () => {
  const box = aSecretBox();

  it.each(['', 'sk-secret', 'ключ 😀', 'x'.repeat(100_000)])('opens what it sealed (%#)', async (text) => {
    expect(await box.open(await box.seal(text, place()), place())).toBe(text);
  });

  it('shows nothing of the text, and never the same bytes twice', async () => {
    const [one, other] = [await box.seal('sk-secret', place()), await box.seal('sk-secret', place())];

    expect(one.includes('secret')).toBe(false);
    expect(one.equals(other)).toBe(false);
  });

  it('refuses bytes of which any was changed, and names the secret', async () => {
    const sealed = await box.seal('text', place());

    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(i) ^ 1, i);
      await expect(box.open(changed, place())).rejects.toThrow('It is not possible to open the secret of a test');
    }
  });

  it.each([
    ['another row', { row: ['two'] }],
    ['another table', { table: 'event_destination' }],
    ['another project', { projectId: '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c12' }],
    ['no project', { projectId: null }],
    ['another purpose', { purpose: 'webhooks' as const }],
  ])('opens nothing that was moved to %s', async (_, elsewhere) => {
    const sealed = await box.seal('text', place());

    await expect(box.open(sealed, place(elsewhere))).rejects.toThrow(UnreadableSecretError);
  });

  it('opens nothing of which bytes are missing, or whose key is gone', async () => {
    const sealed = await box.seal('text', place());

    for (const length of [0, 1, 16, 17, 30, sealed.length - 1])
      await expect(box.open(sealed.subarray(0, length), place())).rejects.toThrow(UnreadableSecretError);
    await expect(aSecretBox().open(sealed, place())).rejects.toThrow(UnreadableSecretError);
  });

  it('seals each project, and what belongs to none, with a key of its own', async () => {
    const store = new InMemoryDataKeyStore();
    const own = aSecretBox(store);

    for (const projectId of [PROJECT, PROJECT, null, 'other']) await own.seal('text', place({ projectId }));

    expect(store.keys.map(({ projectId }) => projectId)).toEqual([PROJECT, null, 'other']);
  });

  it('names the setting when the encryption key is another', async () => {
    const store = new InMemoryDataKeyStore();
    const sealed = await aSecretBox(store).seal('text', place());

    await expect(aSecretBox(store).open(sealed, place())).rejects.toThrow(/^SVC_ENCRYPTION_KEY is wrong/);
  });

  it('opens the first format with the present and the previous key, for its own place only', async () => {
    const [encryptionKey, previousKey] = [randomBytes(32), randomBytes(32)];
    const rotated = aSecretBox(undefined, KeyRing.of({ encryptionKey, previousKey }));

    expect(await rotated.open(sealedBefore(encryptionKey, 'one'), place())).toBe('one');
    expect(await rotated.open(sealedBefore(previousKey, 'two'), place())).toBe('two');
    await expect(rotated.open(sealedBefore(previousKey, 'two', 'there'), place())).rejects.toThrow(
      UnreadableSecretError,
    );
    await expect(box.open(sealedBefore(encryptionKey, 'one'), place())).rejects.toThrow(UnreadableSecretError);
  });
});

describe('SecretBox of the gateway', () => {
  const [encryptionKey, previousKey] = [randomBytes(32), randomBytes(32)];
  const store = new InMemoryDataKeyStore();
  const ofApi = aSecretBox(store, KeyRing.of({ encryptionKey }));
  const webhookKey = webhookKeyOf(encryptionKey);

  it('opens what belongs to webhooks, also with a previous key, and nothing else', async () => {
    const [webhook, secret] = [place({ purpose: 'webhooks' }), place()];
    const [sealedWebhook, sealedSecret] = [await ofApi.seal('one', webhook), await ofApi.seal('two', secret)];
    const rotated = { webhookKey: webhookKeyOf(previousKey), previousKey: webhookKey };

    for (const keys of [{ webhookKey }, rotated]) {
      const box = aSecretBox(store, KeyRing.ofWebhooks(keys));
      expect(await box.open(sealedWebhook, webhook)).toBe('one');
      await expect(box.open(sealedSecret, secret)).rejects.toThrow(/^SVC_WEBHOOK_KEY is wrong/);
      await expect(box.seal('three', secret)).rejects.toThrow('SVC_WEBHOOK_KEY is wrong');
    }
  });

  it('answers that it is not ready for what the encryption key itself has sealed', async () => {
    const box = aSecretBox(store, KeyRing.ofWebhooks({ webhookKey }));

    await expect(box.open(sealedBefore(encryptionKey, 'one'), place())).rejects.toThrow(ServiceUnavailableError);
  });
});
