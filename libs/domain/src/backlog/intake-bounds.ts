/** How much may have been accepted and not begun; null is no bound. */
export interface IntakeBounds {
  runs: number;
  runsPerProject: number;
  bytes: number | null;
  ageSeconds: number | null;
  /** Of the disk on which runs are kept. */
  minFreeDiskBytes: number | null;
}

export interface IntakeState {
  runs: number;
  bytes: number;
  oldest: Date | null;
  runsOfProject: number;
  /** Null: not known, or not on this machine. */
  freeDiskBytes: number | null;
}

/** Why no run is accepted now: for one project, or for all. */
export interface IntakeRefusal {
  of: 'project' | 'all';
  reason: string;
}

/** The reason to accept no run now, if there is one. What concerns all comes first. */
export function refusalOf(bounds: IntakeBounds, state: IntakeState, now: Date): IntakeRefusal | null {
  const { runs, bytes, oldest, runsOfProject, freeDiskBytes } = state;
  if (bounds.minFreeDiskBytes !== null && freeDiskBytes !== null && freeDiskBytes < bounds.minFreeDiskBytes)
    return { of: 'all', reason: 'The disk is nearly full' };
  if (runs >= bounds.runs || (bounds.bytes !== null && bytes >= bounds.bytes))
    return { of: 'all', reason: 'Too many runs wait to begin' };
  if (bounds.ageSeconds !== null && oldest && now.getTime() - oldest.getTime() >= bounds.ageSeconds * 1_000)
    return { of: 'all', reason: 'Runs wait too long to begin' };
  if (runsOfProject >= bounds.runsPerProject)
    return { of: 'project', reason: 'Too many runs of this project wait to begin' };
  return null;
}
