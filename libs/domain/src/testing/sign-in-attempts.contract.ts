import { SIGN_IN_WINDOW_MS, type SignInAttempts } from '../identity/sign-in-limits';
import { anId } from './an-id';

/** What every store of sign-in attempts must do. */
export function describeSignInAttempts(attempts: () => SignInAttempts): void {
  const now = new Date('2026-01-01T12:00:00.000Z');
  const later = new Date(now.getTime() + SIGN_IN_WINDOW_MS);
  const names = () => [`account ${anId()}`, `address ${anId()}`] as const;

  it('counts each name within a window that begins with the first attempt', async () => {
    const [account, address] = names();
    const other = names()[0];
    expect(await attempts().count([account, address], now)).toEqual([
      { count: 1, endsAt: later },
      { count: 1, endsAt: later },
    ]);
    const soon = new Date(now.getTime() + 1);
    expect(await attempts().count([other, address], soon)).toEqual([
      { count: 1, endsAt: new Date(later.getTime() + 1) },
      { count: 2, endsAt: later },
    ]);
    expect((await attempts().count([account, address], later)).map(({ count }) => count)).toEqual([1, 1]);
  });

  it('counts attempts that come at once', async () => {
    const [account, address] = names();
    const counted = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        attempts().count(index % 2 ? [account, address] : [address, account], now),
      ),
    );
    const ofAccount = counted.map(([first, second], index) => (index % 2 ? first : second).count);
    expect(ofAccount.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('gives back what a right password had counted', async () => {
    const [account, address] = names();
    for (let i = 0; i < 3; i++) await attempts().count([account, address], now);
    await attempts().giveBack([account, address]);
    expect((await attempts().count([account, address], now)).map(({ count }) => count)).toEqual([1, 3]);
  });

  it('takes a single attempt back, under both names', async () => {
    const [account, address] = names();
    for (let i = 0; i < 3; i++) await attempts().count([account, address], now);
    await attempts().takeBack([account, address]);
    expect((await attempts().count([account, address], now)).map(({ count }) => count)).toEqual([3, 3]);
  });

  it('knows the addresses of an account', async () => {
    const [account, address] = names();
    expect(await attempts().knows(account, address)).toBe(false);
    await attempts().remember(account, address, now);
    await attempts().remember(account, address, later);
    expect(await attempts().knows(account, address)).toBe(true);
    expect(await attempts().knows(address, account)).toBe(false);
  });
}
