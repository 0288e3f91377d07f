/** How much of the accepted runs may wait to begin. Null means that there is no bound. */
export interface IntakeBounds {
  runs: number;
  runsPerProject: number;
  bytes: number | null;
  ageSeconds: number | null;
  /** The space that stays free on the disk that keeps the runs. */
  minFreeDiskBytes: number | null;
}

export interface IntakeState {
  runs: number;
  bytes: number;
  oldest: Date | null;
  runsOfProject: number;
  /** Null when it is unknown, or when another machine keeps the runs. */
  freeDiskBytes: number | null;
}

/** Why no run is accepted now, of one project or of all. */
export interface IntakeRefusal {
  of: 'project' | 'all';
  reason: string;
  /** The setting with the bound that was reached. */
  setting: string;
}

/** The reason to accept no run now, or null. A reason that concerns all projects comes before one of this project. */
export function refusalOf(bounds: IntakeBounds, state: IntakeState, now: Date): IntakeRefusal | null {
  const { runs, bytes, oldest, runsOfProject, freeDiskBytes } = state;
  if (bounds.minFreeDiskBytes !== null && freeDiskBytes !== null && freeDiskBytes < bounds.minFreeDiskBytes)
    return { of: 'all', reason: 'The disk is nearly full', setting: 'SVC_INTAKE_MIN_FREE_DISK_MB' };
  if (runs >= bounds.runs)
    return { of: 'all', reason: 'Too many runs wait to begin', setting: 'SVC_INTAKE_MAX_PENDING_RUNS' };
  if (bounds.bytes !== null && bytes >= bounds.bytes)
    return { of: 'all', reason: 'Too many runs wait to begin', setting: 'SVC_INTAKE_MAX_PENDING_MB' };
  if (bounds.ageSeconds !== null && oldest && now.getTime() - oldest.getTime() >= bounds.ageSeconds * 1_000)
    return { of: 'all', reason: 'Runs wait too long to begin', setting: 'SVC_INTAKE_MAX_PENDING_AGE_SECONDS' };
  if (runsOfProject >= bounds.runsPerProject)
    return {
      of: 'project',
      reason: 'Too many runs of this project wait to begin',
      setting: 'SVC_INTAKE_MAX_PENDING_RUNS_PER_PROJECT',
    };
  return null;
}
