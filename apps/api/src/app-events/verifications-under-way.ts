import { isIPv4 } from 'node:net';
import { InvalidWebhookSignatureError, RateLimitedError } from '@millrace/domain';
import { networkOf } from '@millrace/http';
import { LRUCache } from 'lru-cache';
import { FairBound } from '../live/fair-bound';

const RETRY_AFTER_SECONDS = 1;
/** How many refused requests within this time make a sender a suspect. */
const MOST_REFUSED = 20;
const REFUSED_FOR_MS = 60_000;
/** So long a sender is known after its last genuine request. Many apps have no event for days. */
const KNOWN_FOR_MS = 7 * 24 * 60 * 60_000;
const MOST_REMEMBERED = 10_000;

/** How many requests are verified at once. */
export interface VerificationBounds {
  /** Those of senders that are known. The pieces share them. */
  readonly ofKnown: number;
  /** Those of all other senders. The pieces share them. */
  readonly ofStrangers: number;
  /** Those of one sender that is not known. */
  readonly ofStranger: number;
}

// Bounds how many requests of apps are verified at once. Anybody may send one, and each costs a call of a package.
//
// V1. A sender is a network at the URL of one piece, because one client may have all addresses of a network.
// V2. A sender is known when it has sent a genuine request lately, and has not sent many others since. Known senders have
//     places of their own, so strangers do not keep them out, however many addresses they have.
// V3. Pieces share the places of each kind (FairBound), so what floods the URL of one does not stop the events of another.
// V4. An address whose requests are mostly refused has one place, among those of strangers. Its network has others: many
//     customers of a cloud share one, and a provider may be among them.
export class VerificationsUnderWay {
  private readonly known = new LRUCache<string, true>({ max: MOST_REMEMBERED, ttl: KNOWN_FOR_MS });
  private readonly refused = new LRUCache<string, number>({ max: MOST_REMEMBERED, ttl: REFUSED_FOR_MS });
  private readonly ofKnown: FairBound;
  private readonly ofStrangers: FairBound;
  /** How many places each sender has, and each address of one. */
  private readonly taken = new Map<string, number>();

  constructor(private readonly most: VerificationBounds) {
    this.ofKnown = new FairBound(most.ofKnown);
    this.ofStrangers = new FairBound(most.ofStrangers);
  }

  /**
   * Throws RateLimitedError when there is no room. `isProof`: whether a result says that the sender is genuine, and not
   * only that the package had an answer.
   */
  async during<Result>(pieceName: string, from: string, work: () => Promise<Result>, isProof = true): Promise<Result> {
    const address = `from ${networkOf(from)} ${pieceName}`;
    const sender = `${senderNetwork(from)} ${pieceName}`;
    const giveBack = this.take(pieceName, sender, address);
    try {
      const result = await work();
      if (isProof) {
        this.refused.delete(address);
        this.known.set(sender, true);
      }
      return result;
    } catch (error) {
      if (error instanceof InvalidWebhookSignatureError)
        this.refused.set(address, (this.refused.get(address) ?? 0) + 1);
      throw error;
    } finally {
      giveBack();
      this.leave(sender);
      this.leave(address);
    }
  }

  private take(pieceName: string, sender: string, address: string): () => void {
    const isSuspect = (this.refused.get(address) ?? 0) >= MOST_REFUSED;
    const isKnown = this.known.has(sender) && !isSuspect;
    const places = isKnown ? this.ofKnown : this.ofStrangers;
    const [ofSender, ofAddress] = [sender, address].map((key) => this.taken.get(key) ?? 0) as [number, number];
    const isFull = isSuspect ? ofAddress >= 1 : ofSender >= this.most.ofStranger;
    if ((!isKnown && isFull) || !places.hasRoomFor(pieceName))
      throw new RateLimitedError(RETRY_AFTER_SECONDS, 'Too many events of apps are being verified');
    this.taken.set(sender, ofSender + 1);
    this.taken.set(address, ofAddress + 1);
    return places.take(pieceName);
  }

  private leave(key: string): void {
    const left = (this.taken.get(key) ?? 1) - 1;
    if (left === 0) this.taken.delete(key);
    else this.taken.set(key, left);
  }
}

/** The 256 addresses around one of IPv4, and the network of one of IPv6. */
function senderNetwork(address: string): string {
  const network = networkOf(address);
  return isIPv4(network) ? `${network.slice(0, network.lastIndexOf('.'))}.0/24` : network;
}
