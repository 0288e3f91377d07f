import { createHash, timingSafeEqual } from 'node:crypto';
import { admitSignIn, DomainError, type AdmittedAttempt, type Clock, type SignInAttempts } from '@millrace/domain';
import { networkOf } from '@millrace/http';
import { LRUCache } from 'lru-cache';

/** A browser sends the password with every request, so a network that has sent it is not counted for this long. */
const ADMITTED_MS = 15 * 60 * 1_000;
const MOST_ADMITTED = 1_000;

/** Thrown when a request for the board has no credentials, or wrong ones. */
export class BoardCredentialsError extends DomainError {
  readonly code = 'AUTHENTICATION';

  constructor() {
    super('This needs the name and the password of the queue board.');
  }
}

export interface BoardCredentials {
  username: string;
  password: string;
}

/**
 * Lets those see the queues who have the password of the board. Wrong passwords are counted as those of sign-in are,
 * by the network that they come from: nobody can lock others out. A network with too many of them is refused even with
 * the right one. A right password gives back no failures before it: somebody else of the network may have guessed.
 */
export class BoardAccess {
  private readonly expected: Buffer;
  private readonly admitted: LRUCache<string, true>;

  constructor(
    { username, password }: BoardCredentials,
    private readonly attempts: SignInAttempts,
    private readonly clock: Clock,
  ) {
    this.expected = digestOf(`${username}:${password}`);
    this.admitted = new LRUCache({ max: MOST_ADMITTED, ttl: ADMITTED_MS });
  }

  /** Throws BoardCredentialsError for missing or wrong credentials, and RateLimitedError after too many wrong ones. */
  async admit(authorization: string | undefined, address: string): Promise<void> {
    if (authorization === undefined) throw new BoardCredentialsError();
    const network = networkOf(address);
    const isRight = timingSafeEqual(digestOf(credentialsIn(authorization)), this.expected);
    if (isRight && this.admitted.has(network)) return;
    const attempt = await this.count(network);
    if (!isRight) throw new BoardCredentialsError();
    await attempt.takeBack();
    this.admitted.set(network, true);
  }

  /** A network with too many failures is no longer admitted: a guesser there must not learn which guess is right. */
  private async count(network: string): Promise<AdmittedAttempt> {
    try {
      return await admitSignIn(this.attempts, `queue board from ${network}`, network, this.clock.now());
    } catch (error) {
      this.admitted.delete(network);
      throw error;
    }
  }
}

/** The name and the password of HTTP Basic, with the colon between them; empty for another kind of credentials. */
function credentialsIn(authorization: string): string {
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** Digests have one length, so comparing them tells nothing about the length of what was sent. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
