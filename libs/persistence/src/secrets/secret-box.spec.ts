import { randomBytes } from 'node:crypto';
import { SecretBox } from './secret-box';

const box = new SecretBox(randomBytes(32));

describe('SecretBox', () => {
  it.each(['', 'sk-secret', 'ключ 😀', 'x'.repeat(100_000)])('opens what it sealed (%#)', (text) => {
    expect(box.open(box.seal(text, 'here'), 'here')).toBe(text);
  });

  it('shows nothing of the text, and never the same bytes twice', () => {
    const [one, other] = [box.seal('sk-secret', 'here'), box.seal('sk-secret', 'here')];

    expect(one.includes('secret')).toBe(false);
    expect(one.equals(other)).toBe(false);
  });

  it('refuses bytes of which any was changed', () => {
    const sealed = box.seal('text', 'here');

    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(i) ^ 1, i);
      expect(() => box.open(changed, 'here')).toThrow();
    }
  });

  it.each([
    ['another context', () => box.open(box.seal('text', 'here'), 'there')],
    ['another key', () => new SecretBox(randomBytes(32)).open(box.seal('text', 'here'), 'here')],
    ['missing bytes', () => box.open(box.seal('text', 'here').subarray(0, 20), 'here')],
    ['nothing', () => box.open(Buffer.alloc(0), 'here')],
  ])('refuses %s', (_, open) => {
    expect(open).toThrow();
  });

  it('needs a key of 32 bytes', () => {
    expect(() => new SecretBox(randomBytes(16))).toThrow('32 bytes');
  });
});
