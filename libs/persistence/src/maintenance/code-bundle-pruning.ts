import { agoBy, type SharedClock, type Duty, type HeldLease } from '@millrace/domain';
import type { Pool } from 'pg';
import { pruneCodeBundles } from '../flows/code-bundle-pruning';

const HOUR_MS = 60 * 60 * 1000;
/** How long unused bundles stay. It is far longer than the time from the compilation of a version to its commit. */
const UNUSED_MS = 7 * 24 * HOUR_MS;

/** Deletes the bundles of code steps that no version of a flow uses any more. */
export class CodeBundlePruning implements Duty {
  readonly name = 'Code bundle pruning';
  readonly isRoutine = true;
  readonly everyMs = HOUR_MS;

  constructor(
    private readonly pool: Pool,
    private readonly clock: SharedClock,
  ) {}

  async perform(lease: HeldLease): Promise<string | void> {
    const deleted = await pruneCodeBundles(this.pool, await agoBy(this.clock, UNUSED_MS), lease);
    if (deleted > 0) return `${deleted} unused code bundles were deleted.`;
  }
}
