/** How long a refresh token can be used, if it is not used before. */
export const REFRESH_TOKEN_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * For how long the client that has used a refresh token may use it again. Two tabs of a browser refresh at the same
 * time, and an answer may be lost on its way; both must not end the session.
 */
export const REPEATED_WITHIN_MS = 10_000;

/** What is on record of a refresh token. */
export interface RefreshTokenRecord {
  expires: Date;
  /** Null until the token is used. */
  usedAt: Date | null;
  /** The client that has used it (see `Refresh.client`). */
  usedBy: string | null;
}

/** A use of a refresh token. */
export interface Refresh {
  /** The SHA-256 of the token. */
  hash: string;
  /** The SHA-256 of the tokens that may follow: the last secret's too, while the secret that makes them is rotated. */
  nextHashes: readonly [current: string, ...previous: string[]];
  /** Stands for the address and the program that sends the token. */
  client: string;
  now: Date;
}

/** Says what a use of a token is: the first, a repetition by the same client, or a theft. */
export function judgeRefresh(
  { expires, usedAt, usedBy }: RefreshTokenRecord,
  { client, now }: Pick<Refresh, 'client' | 'now'>,
): 'first' | 'repeated' | 'reused' | 'expired' {
  if (usedAt !== null) {
    const isPrompt = now.getTime() - usedAt.getTime() < REPEATED_WITHIN_MS;
    return isPrompt && usedBy === client ? 'repeated' : 'reused';
  }
  return expires > now ? 'first' : 'expired';
}

/** A user's session: refresh tokens, each of which follows from the one before it. Only their hashes are stored. */
export abstract class SessionRepository {
  /** Starts a session with its first token. */
  abstract start(session: { id: string; userId: string; tokenHash: string; now: Date }): Promise<void>;
  /**
   * Uses a token up, and stores the one that follows. A repetition changes nothing. The use of a token that was used
   * before ends the session. Resolves with the user and the hash of the token that follows; null when the token is not
   * accepted.
   */
  abstract refresh(refresh: Refresh): Promise<{ userId: string; nextHash: string } | null>;
  /** Ends the session of the token; does nothing for an unknown one. */
  abstract end(tokenHash: string): Promise<void>;
}
