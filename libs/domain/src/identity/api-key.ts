import type { Page, PageRequest } from '../page';

/** A key's secret is shown once; only its SHA-256 is kept. */
export interface ApiKey {
  id: string;
  displayName: string;
  /** Null for a key of the platform. */
  projectId: string | null;
  createdBy: string;
  /** SHA-256 of the whole key, hex. */
  hash: string;
  lastFour: string;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  created: Date;
}

export abstract class ApiKeyRepository {
  abstract insert(key: ApiKey): Promise<void>;
  abstract findByHash(hash: string): Promise<ApiKey | null>;
  /** Newest first. */
  abstract list(projectIds: readonly string[] | 'any', page: PageRequest): Promise<Page<ApiKey>>;
  /** Throws EntityNotFoundError. */
  abstract delete(id: string, projectIds: readonly string[] | 'any'): Promise<void>;
  /** At most once a minute per key is enough. */
  abstract markUsed(id: string, at: Date): Promise<void>;
}
