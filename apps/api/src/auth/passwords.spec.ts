import { hashPassword, isPasswordOf } from './passwords';

describe('passwords', () => {
  it('are kept as argon2id with the agreed cost', async () => {
    expect(await hashPassword('correct-horse')).toMatch(/^\$argon2id\$v=19\$m=19456,(?:t=2,p=1|p=1,t=2)\$/);
  });

  it('match their own hash only, and nobody has none', async () => {
    const hash = await hashPassword('correct-horse');
    expect(await isPasswordOf(hash, 'correct-horse')).toBe(true);
    expect(await isPasswordOf(hash, 'battery-staple')).toBe(false);
    expect(await isPasswordOf(null, 'correct-horse')).toBe(false);
  });
});
