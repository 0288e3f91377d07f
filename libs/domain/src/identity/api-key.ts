import type { ProjectRole } from './permissions';
import type { Page, PageRequest } from '../page';

/** The secret of a key is shown once; only its SHA-256 is stored. */
export interface ApiKey {
  id: string;
  displayName: string;
  /** Null when the key belongs to the platform. */
  projectId: string | null;
  /** The role in the project; that of a platform key holds in every project. */
  role: ProjectRole;
  createdBy: string;
  /** The SHA-256 of the whole key in hexadecimal. */
  hash: string;
  lastFour: string;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  created: Date;
}

export abstract class ApiKeyRepository {
  abstract insert(key: ApiKey): Promise<void>;
  abstract findByHash(hash: string): Promise<ApiKey | null>;
  /** Lists the keys, newest first. */
  abstract list(projectIds: readonly string[] | 'any', page: PageRequest): Promise<Page<ApiKey>>;
  /** Throws EntityNotFoundError. */
  abstract delete(id: string, projectIds: readonly string[] | 'any'): Promise<void>;
  /** Notes when the key was last used. An implementation may write at most once a minute for each key. */
  abstract markUsed(id: string, at: Date): Promise<void>;
}
