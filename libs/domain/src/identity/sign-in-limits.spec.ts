import { RateLimitedError } from '../errors/rate-limited.error';
import { InMemorySignInAttempts } from '../testing/in-memory-sign-in-attempts';
import { describeSignInAttempts } from '../testing/sign-in-attempts.contract';
import { admitSignIn, ATTEMPTS_PER_ACCOUNT, ATTEMPTS_PER_ADDRESS, SIGN_IN_WINDOW_MS } from './sign-in-limits';

describe('sign-in attempts in memory', () => {
  const attempts = new InMemorySignInAttempts();
  describeSignInAttempts(() => attempts);
});

describe('the limits of sign-in', () => {
  const start = new Date('2026-01-01T12:00:00.000Z');
  let attempts: InMemorySignInAttempts;
  beforeEach(() => {
    attempts = new InMemorySignInAttempts();
  });

  const admit = (account: string, address: string, now = start) => admitSignIn(attempts, account, address, now);
  const guess = async (times: number, account: string, address: string) => {
    for (let i = 0; i < times; i++) await admit(account, address);
  };

  it('refuse the eleventh guess of an account, from wherever it comes, until the window ends', async () => {
    for (let i = 0; i < ATTEMPTS_PER_ACCOUNT; i++) await admit('ada', `address ${i}`);

    await expect(admit('ada', 'another')).rejects.toMatchObject({ retryAfterSeconds: 900, limit: 10 });
    await expect(admit('ada', 'another')).rejects.toBeInstanceOf(RateLimitedError);
    await admit('ada', 'another', new Date(start.getTime() + SIGN_IN_WINDOW_MS));
  });

  it('let a person in from a known address while strangers guess', async () => {
    await (await admit('ada', 'home')).succeeded();
    await guess(ATTEMPTS_PER_ACCOUNT, 'ada', 'stranger');
    await expect(admit('ada', 'stranger')).rejects.toBeInstanceOf(RateLimitedError);

    await (await admit('ada', 'home')).succeeded();

    await expect(admit('ada', 'stranger')).rejects.toBeInstanceOf(RateLimitedError);
    await guess(ATTEMPTS_PER_ACCOUNT, 'ada', 'home');
    await expect(admit('ada', 'home')).rejects.toBeInstanceOf(RateLimitedError);
  });

  it('refuse an address that guesses at many accounts, but count no success', async () => {
    for (let i = 0; i < ATTEMPTS_PER_ADDRESS * 2; i++) await (await admit(`good ${i}`, 'office')).succeeded();
    for (let i = 0; i < ATTEMPTS_PER_ADDRESS; i++) await admit(`bad ${i}`, 'office');
    await expect(admit('ada', 'office')).rejects.toMatchObject({ limit: 100 });
    await admit('ada', 'elsewhere');
  });
});
