/** A project with fewer runs that have not begun is in nobody's way. */
export const QUIET_BELOW = 32;
/** A backlog of no more than this is as good as gone. */
const NEARLY_GONE = 8;

/** 0 for a project that is in nobody's way, then one more for each doubling of its backlog. */
export const backlogLevel = (runs: number): number =>
  runs < QUIET_BELOW ? 0 : Math.floor(Math.log2(runs / QUIET_BELOW)) + 1;

/** A level only falls when the backlog is nearly gone, so that a newer run of a project is not before an older one. */
export const nextLevel = (level: number, runs: number): number =>
  runs <= NEARLY_GONE ? 0 : Math.max(level, backlogLevel(runs));
