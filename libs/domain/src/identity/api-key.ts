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
  /** The user who made the key, or who made the key that made it. */
  createdBy: string;
  /** The key that made this one, and takes it along when it is revoked; null when a user did. */
  madeByKeyId: string | null;
  /** The SHA-256 of the whole key in hexadecimal. */
  hash: string;
  lastFour: string;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  created: Date;
}

export abstract class ApiKeyRepository {
  /**
   * Inserts the key if the user or key that makes it may still do so: a removal at the same time refuses it, or deletes
   * it. Throws InvalidBearerTokenError, InvalidApiKeyError, AuthorizationError, PermissionDeniedError and
   * EntityNotFoundError, as a request that comes after the removal.
   */
  abstract insert(key: ApiKey): Promise<void>;
  abstract findByHash(hash: string): Promise<ApiKey | null>;
  /** Finds many keys at once. Unknown hashes are passed over. */
  abstract findByHashes(hashes: readonly string[]): Promise<ApiKey[]>;
  /** Lists the keys, newest first; with `madeByKeyId` only those that this key has made itself. */
  abstract list(
    filter: { projectIds: readonly string[] | 'any'; madeByKeyId?: string },
    page: PageRequest,
  ): Promise<Page<ApiKey>>;
  /** Deletes the key, and all keys that it and those have made. Throws EntityNotFoundError. */
  abstract delete(id: string, projectIds: readonly string[] | 'any'): Promise<void>;
  /** Notes when the keys were last used. An implementation may write at most once a minute for each key. */
  abstract markUsed(ids: readonly string[], at: Date): Promise<void>;
}
