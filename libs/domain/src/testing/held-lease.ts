import type { HeldLease } from '../maintenance/duty';

/** A leader lease that nobody takes away. */
export const HELD: HeldLease = { isHeld: () => true };

/** A leader lease that is lost after so many questions. */
export const lostAfter = (questions: number): HeldLease => ({ isHeld: () => questions-- > 0 });
