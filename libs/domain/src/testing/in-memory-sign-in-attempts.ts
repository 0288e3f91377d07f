import { SIGN_IN_WINDOW_MS, SignInAttempts, type AttemptCount } from '../identity/sign-in-limits';

/** Counts in memory, by the rules of the real one. */
export class InMemorySignInAttempts extends SignInAttempts {
  private readonly counts = new Map<string, AttemptCount>();
  private readonly known = new Set<string>();

  override count(names: readonly [string, string], now: Date): Promise<[AttemptCount, AttemptCount]> {
    const one = (name: string): AttemptCount => {
      const known = this.counts.get(name);
      const isOpen = known !== undefined && known.endsAt > now;
      const count = isOpen
        ? { ...known, count: known.count + 1 }
        : { count: 1, endsAt: new Date(now.getTime() + SIGN_IN_WINDOW_MS) };
      this.counts.set(name, count);
      return count;
    };
    return Promise.resolve([one(names[0]), one(names[1])]);
  }

  override giveBack([forgotten, lessened]: readonly [string, string]): Promise<void> {
    this.counts.delete(forgotten);
    const left = this.counts.get(lessened);
    if (left) this.counts.set(lessened, { ...left, count: left.count - 1 });
    return Promise.resolve();
  }

  override takeBack(names: readonly [string, string]): Promise<void> {
    for (const name of names) {
      const known = this.counts.get(name);
      if (known) this.counts.set(name, { ...known, count: known.count - 1 });
    }
    return Promise.resolve();
  }

  override knows(account: string, address: string): Promise<boolean> {
    return Promise.resolve(this.known.has(JSON.stringify([account, address])));
  }

  override remember(account: string, address: string): Promise<void> {
    this.known.add(JSON.stringify([account, address]));
    return Promise.resolve();
  }
}
