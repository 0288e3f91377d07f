import type { Page, PageRequest } from '../page';

/** How often a worker tells that it lives. */
export const HEARTBEAT_SECONDS = 10;
/** A worker is offline when it has been silent for so long. */
export const OFFLINE_AFTER_SECONDS = 30;
/** A worker that has been silent for so long leaves the list. */
export const FORGOTTEN_AFTER_SECONDS = 3_600;

export const WORKER_QUEUES = ['POSTGRESQL', 'REDIS'] as const;
export const WORKER_STATUSES = ['ONLINE', 'OFFLINE'] as const;

/**
 * The settings that the api and the workers have to read alike. The api tells its own to a worker that registers, which
 * uses them where its environment has none.
 */
export const SETTINGS_FROM_API = [
  'SVC_PUBLIC_URL',
  'SVC_FLOW_TIMEOUT_SECONDS',
  'SVC_EXECUTION_DATA_RETENTION_DAYS',
  'SVC_EXECUTION_DATA_RETENTION_HOURS',
  'SVC_RUN_RETENTION_DAYS',
  'SVC_AUDIT_RETENTION_DAYS',
  'SVC_PIECE_PACKAGES',
] as const;

/**
 * What may separate the packages of pieces that a worker runs from its machine: they have a network of their own, which
 * is empty; see no processes but their own, and no files but programs and their own; and run as another user.
 */
export const PIECE_WALLS = ['network', 'processes', 'files', 'user'] as const;
export type PieceWall = (typeof PIECE_WALLS)[number];

/** What a worker tells of itself. Each process has an id of its own. */
export interface WorkerProfile {
  id: string;
  hostname: string;
  version: string;
  queue: (typeof WORKER_QUEUES)[number];
  /** How many runs it executes at once. */
  concurrency: number;
  /** The walls that it has around packages of pieces. Null when it has not found them yet, or runs no packages. */
  pieceIsolation: readonly PieceWall[] | null;
}

export interface WorkerMachine extends WorkerProfile {
  status: (typeof WORKER_STATUSES)[number];
  /** When it registered. */
  created: Date;
  lastHeartbeat: Date;
}

/** The workers that have registered. All times are those of the database's clock. */
export abstract class WorkerMachineRepository {
  /** Registers the worker, or notes that it lives. */
  abstract noteHeartbeat(worker: WorkerProfile): Promise<void>;
  abstract list(page: PageRequest): Promise<Page<WorkerMachine>>;
}
