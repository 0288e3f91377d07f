import { hash, verify } from '@node-rs/argon2';
import { availableParallelism } from 'node:os';
import { Turns } from './turns';

/** The value of the package's `Algorithm.Argon2id`, a const enum that separate compilation cannot read. */
const ARGON2ID = 2;
const COST = { algorithm: ARGON2ID, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** Hashing takes a core for some 20 ms. One core is left to other requests, and the last in the queue waits some 10 s. */
const turns = new Turns({ atOnce: Math.max(1, availableParallelism() - 1), mostWaiting: 500 });

export const hashPassword = (password: string): Promise<string> => turns.take(() => hash(password, COST));

/** The hash of a password that no user has. Verifying against it takes as long as against a user's hash. */
let nobodysHash: Promise<string> | undefined;

/** Verifies a password. Pass null as the hash for an unknown user: the result is false, after the same time. */
export async function isPasswordOf(passwordHash: string | null, password: string): Promise<boolean> {
  nobodysHash ??= hash(crypto.randomUUID(), COST);
  const against = passwordHash ?? (await nobodysHash);
  const matches = await turns.take(() => verify(against, password));
  return matches && passwordHash !== null;
}
