import { hash, verify } from '@node-rs/argon2';

/** The value of the package's `Algorithm.Argon2id`, a const enum that separate compilation cannot read. */
const ARGON2ID = 2;
const COST = { algorithm: ARGON2ID, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** The hash of a password that no user has. Verifying against it takes as long as against a user's hash. */
let nobodysHash: Promise<string> | undefined;

/** Verifies a password. Pass null as the hash for an unknown user: the result is false, after the same time. */
export async function isPasswordOf(passwordHash: string | null, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword(crypto.randomUUID());
  const matches = await verify(passwordHash ?? (await nobodysHash), password);
  return matches && passwordHash !== null;
}
