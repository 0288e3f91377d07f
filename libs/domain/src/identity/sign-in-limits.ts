import { RateLimitedError } from '../errors/rate-limited.error';

// How often a password may be guessed. Strangers must not be able to lock a person out, so guesses from an address that
// the account was used from before are counted apart from all others.

export const SIGN_IN_WINDOW_MS = 15 * 60 * 1000;
export const ATTEMPTS_PER_ACCOUNT = 10;
export const ATTEMPTS_PER_ADDRESS = 100;

/** How many attempts were made under a name in the window that ends then. */
export interface AttemptCount {
  count: number;
  endsAt: Date;
}

/** Counts attempts under names, across all processes. Names need not be kept in clear. */
export abstract class SignInAttempts {
  /** Counts an attempt under both names, and resolves with the counts including it. */
  abstract count(names: readonly [string, string], now: Date): Promise<[AttemptCount, AttemptCount]>;
  /** Forgets the attempts under the first name, and one attempt under the second. */
  abstract giveBack(names: readonly [string, string]): Promise<void>;
  /** Takes one attempt back under each name. The others stay counted. */
  abstract takeBack(names: readonly [string, string]): Promise<void>;
  /** Says whether the account was signed in to from the address within the last months. */
  abstract knows(account: string, address: string): Promise<boolean>;
  abstract remember(account: string, address: string, now: Date): Promise<void>;
}

/** An attempt that may go on. */
export interface AdmittedAttempt {
  /** To be called when the password was right. */
  succeeded(): Promise<void>;
  /**
   * Instead, to be called when the password was right and several people share the account: the failures before stay
   * counted, and only this attempt is not.
   */
  takeBack(): Promise<void>;
}

/** Admits an attempt, or throws RateLimitedError. An unknown account is treated as any other. */
export async function admitSignIn(
  attempts: SignInAttempts,
  account: string,
  address: string,
  now: Date,
): Promise<AdmittedAttempt> {
  const isKnown = await attempts.knows(account, address);
  const names = [isKnown ? `account ${account} at ${address}` : `account ${account}`, `address ${address}`] as const;
  const [ofAccount, ofAddress] = await attempts.count(names, now);
  assertBelow(ofAccount, ATTEMPTS_PER_ACCOUNT, now);
  assertBelow(ofAddress, ATTEMPTS_PER_ADDRESS, now);
  return {
    succeeded: async () => {
      await attempts.giveBack(names);
      await attempts.remember(account, address, now);
    },
    takeBack: () => attempts.takeBack(names),
  };
}

function assertBelow({ count, endsAt }: AttemptCount, most: number, now: Date): void {
  if (count <= most) return;
  const seconds = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000));
  throw new RateLimitedError(seconds, 'Too many attempts', most);
}
