import type { IntakeBounds } from '@millrace/domain';
import { sessionUrl } from '../postgres/postgres-settings';

const MEGABYTE = 1024 * 1024;

export interface IntakeSettings {
  bounds: IntakeBounds;
  /** A folder on the disk of the database; null when the database is on another machine. */
  dataDir: string | null;
}

/** Translates the names of the environment into those of this library. */
export const intakeSettings = (env: {
  SVC_DATABASE_URL: string;
  SVC_DATABASE_SESSION_URL: string | undefined;
  SVC_DATA_DIR: string;
  SVC_INTAKE_MAX_PENDING_RUNS: number;
  SVC_INTAKE_MAX_PENDING_RUNS_PER_PROJECT: number;
  SVC_INTAKE_MAX_PENDING_MB: number | undefined;
  SVC_INTAKE_MAX_PENDING_AGE_SECONDS: number | undefined;
  SVC_INTAKE_MIN_FREE_DISK_MB: number;
}): IntakeSettings => ({
  bounds: {
    runs: env.SVC_INTAKE_MAX_PENDING_RUNS,
    runsPerProject: env.SVC_INTAKE_MAX_PENDING_RUNS_PER_PROJECT,
    bytes: env.SVC_INTAKE_MAX_PENDING_MB === undefined ? null : env.SVC_INTAKE_MAX_PENDING_MB * MEGABYTE,
    ageSeconds: env.SVC_INTAKE_MAX_PENDING_AGE_SECONDS ?? null,
    minFreeDiskBytes: env.SVC_INTAKE_MIN_FREE_DISK_MB * MEGABYTE,
  },
  dataDir: isOnThisMachine(sessionUrl(env)) ? env.SVC_DATA_DIR : null,
});

const OWN_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '']);

/** A database on a local socket is named by the folder of the socket. */
function isOnThisMachine(databaseUrl: string): boolean {
  const { hostname, searchParams } = new URL(databaseUrl);
  return OWN_NAMES.has(hostname) || (searchParams.get('host') ?? decodeURIComponent(hostname)).startsWith('/');
}
