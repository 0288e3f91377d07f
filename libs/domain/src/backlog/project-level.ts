/** A project with fewer runs that have not begun does not delay other projects. */
export const QUIET_BELOW = 32;
/** A backlog of at most this many runs counts as gone. */
const NEARLY_GONE = 8;

/** The level of a backlog: 0 while it delays no other project, then one more for each doubling. */
export const backlogLevel = (runs: number): number =>
  runs < QUIET_BELOW ? 0 : Math.floor(Math.log2(runs / QUIET_BELOW)) + 1;

/**
 * The next level falls only when the backlog is nearly gone, so that a project's newer run never overtakes an older
 * one.
 */
export const nextLevel = (level: number, runs: number): number =>
  runs <= NEARLY_GONE ? 0 : Math.max(level, backlogLevel(runs));
