import { API_KEY } from '@millrace/settings';
import { hashOfSecret, newApiKeySecret, newInvitationToken, newRefreshToken, refreshTokenAfter } from './secret-tokens';

describe('secret tokens', () => {
  it('are random, with 256 bits after a prefix that tells their kind', () => {
    expect(newApiKeySecret()).toMatch(API_KEY);
    expect(newInvitationToken()).toMatch(/^inv-[A-Za-z0-9_-]{43}$/);
    expect(newRefreshToken()).toMatch(/^rt-[A-Za-z0-9_-]{43}$/);
    expect(newRefreshToken()).not.toBe(newRefreshToken());
  });

  it('of sessions follow from the token before and the secret of the service', () => {
    const token = newRefreshToken();
    const next = refreshTokenAfter(token, 'secret');
    expect(next).toMatch(/^rt-[A-Za-z0-9_-]{43}$/);
    expect(refreshTokenAfter(token, 'secret')).toBe(next);
    expect(new Set([token, next, refreshTokenAfter(token, 'another'), refreshTokenAfter(next, 'secret')]).size).toBe(4);
  });

  it('are stored as a hash', () => {
    expect(hashOfSecret('sk-x')).toMatch(/^[0-9a-f]{64}$/);
  });
});
