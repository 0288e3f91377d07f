import { aPrincipal } from '../testing/a-principal';
import type { Principal } from './principal';
import { invitationExpiry } from './user-invitation';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const SEVEN_DAYS_ON = new Date('2026-01-08T12:00:00.000Z');

describe('an invitation', () => {
  const aKey = (expiresAt: Date | null) => ({ ...aPrincipal('ADMIN'), kind: 'api_key', apiKeyId: 'k', expiresAt });

  it.each([
    ['of a user', aPrincipal('ADMIN'), SEVEN_DAYS_ON],
    ['of a key that does not expire', aKey(null), SEVEN_DAYS_ON],
    ['of a key that expires later', aKey(new Date('2026-02-01')), SEVEN_DAYS_ON],
    ['of a key that expires before', aKey(new Date('2026-01-01T13:00:00Z')), new Date('2026-01-01T13:00:00Z')],
  ])('%s ends after seven days, or with the key', (_what, sender, expires) => {
    expect(invitationExpiry(sender as Principal, NOW)).toEqual(expires);
  });
});
