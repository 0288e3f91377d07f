import type { AuditLog, User, UserRepository } from '@millrace/domain';
import { HandDrivenClock, InMemorySignInAttempts } from '@millrace/domain/testing';
import { hash } from '@node-rs/argon2';
import { AuthenticationService } from './authentication.service';
import type { Sessions } from './sessions';

const RIGHT = 'correct horse';
const HOME = '192.0.2.1';

describe('sign-ins that come at once', () => {
  let passwordHash: string;
  let signIns: AuthenticationService;

  beforeAll(async () => {
    // A cheap hash: these tests verify some two hundred passwords.
    passwordHash = await hash(RIGHT, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  });
  beforeEach(() => {
    const users = { findByEmail: (email: string) => Promise.resolve({ id: email, passwordHash } as User) };
    const sessions = { start: ({ id }: User) => Promise.resolve({ id }) };
    signIns = new AuthenticationService(
      users as unknown as UserRepository,
      new InMemorySignInAttempts(),
      sessions as unknown as Sessions,
      { record: () => Promise.resolve() } as unknown as AuditLog,
      new HandDrivenClock(),
    );
  });

  /** How many of the sign-ins ended in each way. */
  const endingsOf = async (signIns: Promise<unknown>[]): Promise<Record<string, number>> => {
    const codes = (await Promise.allSettled(signIns)).map((ending) =>
      ending.status === 'fulfilled' ? 'signed in' : (ending.reason as { code: string }).code,
    );
    return Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]));
  };
  const many = (count: number, password: string, account = (_n: number) => 'ada@millrace.test', address = HOME) =>
    Array.from({ length: count }, (_, n) => signIns.signIn(account(n), password, address));

  it('all succeed when their passwords are right, from one address to one account', async () => {
    expect(await endingsOf(many(30, RIGHT))).toEqual({ 'signed in': 30 });
  });

  it('all succeed when their passwords are right, from one address to many accounts', async () => {
    expect(await endingsOf(many(120, RIGHT, (n) => `${n}@millrace.test`))).toEqual({ 'signed in': 120 });
  });

  it('get ten guesses and no more when their passwords are wrong', async () => {
    expect(await endingsOf(many(30, 'wrong'))).toEqual({ INVALID_CREDENTIALS: 10, RATE_LIMITED: 20 });
    await expect(signIns.signIn('ada@millrace.test', RIGHT, HOME)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('get no more guesses from many addresses', async () => {
    const guesses = Array.from({ length: 30 }, (_, n) => many(1, 'wrong', undefined, `198.51.100.${n}`)).flat();
    expect(await endingsOf(guesses)).toEqual({ INVALID_CREDENTIALS: 10, RATE_LIMITED: 20 });
  });

  it('of one account keep no other account of the address waiting without end', async () => {
    const [, other] = await Promise.all([
      endingsOf(many(80, 'wrong')),
      signIns.signIn('bob@millrace.test', RIGHT, HOME),
    ]);
    expect(other).toEqual({ id: 'bob@millrace.test' });
  });
});
