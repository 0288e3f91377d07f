/**
 * The steps that sleep on one thread and keep their interpreter meanwhile. Their number and their memory are bounded.
 * A step over the bound gives its interpreter up and is begun again when its sleep is over.
 */
import type { Isolate } from './isolate';

/** Most steps that may sleep on one thread. Each keeps a slot of the thread. */
const MOST_ASLEEP = 32;
const KB = 1024;

export interface Sleeper {
  isolate: Isolate;
  slot: number;
  tenant: string;
  bytes: number;
}

/** The memory that the sleeping steps of all threads keep. Each thread writes its own shared word, in KB. */
export class SleepLedger {
  constructor(private readonly words: Int32Array) {}

  set(seat: number, bytes: number): void {
    Atomics.store(this.words, seat, Math.ceil(bytes / KB));
  }

  totalBytes(): number {
    return this.words.reduce((sum, _, seat) => sum + Atomics.load(this.words, seat), 0) * KB;
  }
}

export class Sleepers {
  private readonly sleepers = new Map<number, Sleeper>();
  private bytes = 0;

  constructor(
    private readonly ledger: SleepLedger,
    private readonly seat: number,
    private readonly mostBytes: number,
  ) {}

  add(sleeper: Sleeper): void {
    this.sleepers.set(sleeper.slot, sleeper);
    this.count(sleeper.bytes);
  }

  take(slot: number): Sleeper | undefined {
    const sleeper = this.sleepers.get(slot);
    if (sleeper) this.remove(sleeper);
    return sleeper;
  }

  /**
   * Removes and returns the steps that must give up their interpreter. `claim` says whether a step may still be taken.
   */
  takeExcess(claim: (sleeper: Sleeper) => boolean): Sleeper[] {
    const taken: Sleeper[] = [];
    const candidates = new Set(this.sleepers.values());
    while (candidates.size > 0 && this.isTooMuch()) {
      const next = firstToEvict([...candidates]);
      candidates.delete(next);
      if (!claim(next)) continue;
      this.remove(next);
      taken.push(next);
    }
    return taken;
  }

  private isTooMuch(): boolean {
    return this.sleepers.size > MOST_ASLEEP || this.ledger.totalBytes() > this.mostBytes;
  }

  private remove(sleeper: Sleeper): void {
    this.sleepers.delete(sleeper.slot);
    this.count(-sleeper.bytes);
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    this.ledger.set(this.seat, this.bytes);
  }
}

/** The step that gives its interpreter up first: the largest one of the tenant that keeps the most memory. */
export function firstToEvict<One extends Pick<Sleeper, 'tenant' | 'bytes'>>(sleepers: readonly One[]): One {
  const kept = new Map<string, number>();
  for (const { tenant, bytes } of sleepers) kept.set(tenant, (kept.get(tenant) ?? 0) + bytes);
  const keptBy = ({ tenant }: One) => kept.get(tenant) ?? 0;
  return sleepers.reduce((worst, one) => {
    const more = keptBy(one) - keptBy(worst);
    return more > 0 || (more === 0 && one.bytes > worst.bytes) ? one : worst;
  });
}
