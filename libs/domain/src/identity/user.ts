import type { Page, PageRequest } from '../page';
import type { PlatformRole } from './principal';

export interface User {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  platformRole: PlatformRole;
  /** The argon2id hash in its standard text form. */
  passwordHash: string;
  created: Date;
}

export abstract class UserRepository {
  abstract insert(user: User): Promise<void>;
  /** Says whether there has ever been a user. */
  abstract existAny(): Promise<boolean>;
  /** Inserts the user unless there has been one before. Of several calls at once, one inserts. */
  abstract insertFirst(user: User): Promise<boolean>;
  /** Compares addresses without case. */
  abstract findByEmail(email: string): Promise<User | null>;
  abstract find(userId: string): Promise<User | null>;
  /** Lists the users, newest first. */
  abstract list(page: PageRequest): Promise<Page<User>>;
  /**
   * Deletes what is known of the person, their sessions and memberships, the keys they have made, and the invitations
   * from and for them. What refers to the user keeps the id. Throws EntityNotFoundError, and LastAdministratorError for
   * the last administrator of the platform.
   */
  abstract delete(userId: string, now: Date): Promise<void>;
}
