import { hash, verify } from '@node-rs/argon2';

/** The package's `Algorithm.Argon2id`: a const enum, which separate compilation cannot read. */
const ARGON2ID = 2;
const COST = { algorithm: ARGON2ID, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Of a password that nobody has: verifying against it takes as long as against a real one. */
let nobodysHash: Promise<string> | undefined;

/** For an unknown user, pass null: the answer is no, after the same time. */
export async function isPasswordOf(passwordHash: string | null, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword(crypto.randomUUID());
  const matches = await verify(passwordHash ?? (await nobodysHash), password);
  return matches && passwordHash !== null;
}
