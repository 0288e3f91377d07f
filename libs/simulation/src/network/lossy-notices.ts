import { InMemoryRunNotices } from '@millrace/domain/testing';
import type { Faults } from '../faults/faults';
import type { Schedule } from '../schedule/schedule';
import type { Actor } from '../schedule/virtual-time';
import type { Network } from './network';

export interface NoticeListener extends Actor {
  /** Hears which runs were stopped. Null means that notices may have been lost. */
  hearStopped(runIds: readonly string[] | null): void;
}

const RECONNECTS_AFTER_MS = 3_000;

/** Delivers the notices of the store late or never. */
export class LossyNotices extends InMemoryRunNotices {
  constructor(
    private readonly schedule: Schedule,
    private readonly faults: Faults,
    private readonly network: Network,
    private readonly hearers: () => readonly NoticeListener[],
  ) {
    super();
  }

  override announceStopped(runIds: readonly string[] | null): void {
    const { faults } = this;
    const { random, time } = this.schedule;
    for (const listener of runIds ? this.hearers() : []) {
      const isLost = time.elapsed < faults.endsAt && random.chance(faults.noticeLost);
      // A listener that reconnects learns that notices may have been lost.
      if (isLost && random.chance(0.5)) continue;
      const delayMs = isLost ? RECONNECTS_AFTER_MS : this.network.delayMs();
      time.after(delayMs, listener, () => listener.hearStopped(isLost ? null : runIds));
    }
  }
}
