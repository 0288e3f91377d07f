import type { Page, PageRequest } from '../page';
import type { PlatformRole } from './principal';

export interface User {
  id: string;
  /** In the form of `normalizedEmail`. */
  email: string;
  firstName: string;
  lastName: string;
  platformRole: PlatformRole;
  /** The argon2id hash in its standard text form. */
  passwordHash: string;
  created: Date;
}

/** How the issuer of OAuth 2.0 access tokens calls a person. Subjects are unique within an issuer. */
export interface IssuerIdentity {
  issuer: string;
  subject: string;
}

export abstract class UserRepository {
  abstract insert(user: User): Promise<void>;
  /** Says whether there has ever been a user. */
  abstract existAny(): Promise<boolean>;
  /** Inserts the user unless there has been one before. Of several calls at once, one inserts. */
  abstract insertFirst(user: User): Promise<boolean>;
  /** Compares addresses in the form of `normalizedEmail`, without case. */
  abstract findByEmail(email: string): Promise<User | null>;
  abstract find(userId: string): Promise<User | null>;
  /** Finds many users at once. Unknown ids are passed over. */
  abstract findAll(userIds: readonly string[]): Promise<User[]>;
  /** Finds the user to whom the identity is linked. */
  abstract findByIdentity(identity: IssuerIdentity): Promise<User | null>;
  /**
   * Links the identity to the user. Returns false, and changes nothing, when the user has another identity of this
   * issuer, when another user has this one, or when the user does not exist.
   */
  abstract linkIdentity(userId: string, identity: IssuerIdentity): Promise<boolean>;
  /** Returns the identity that is linked to the user, or null. */
  abstract identityOf(userId: string): Promise<IssuerIdentity | null>;
  /**
   * Links an identity to the user in place of the one before; null links none. Throws EntityNotFoundError, and
   * EntityExistsError when another user has this identity.
   */
  abstract replaceIdentity(userId: string, identity: IssuerIdentity | null): Promise<void>;
  /** Lists the users, newest first. */
  abstract list(page: PageRequest): Promise<Page<User>>;
  /**
   * Deletes what is known of the person, their sessions and memberships, the keys they have made, and the invitations
   * from and for them. What refers to the user keeps the id. Throws EntityNotFoundError, and LastAdministratorError for
   * the last administrator of the platform or of a project.
   */
  abstract delete(userId: string, now: Date): Promise<void>;
}
