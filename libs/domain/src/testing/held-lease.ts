import type { HeldLease } from '../maintenance/duty';

/** A leader lease that is never lost. */
export const HELD: HeldLease = { isHeld: () => true };

/** A leader lease that is lost after `questions` calls of `isHeld`. */
export const lostAfter = (questions: number): HeldLease => ({ isHeld: () => questions-- > 0 });
