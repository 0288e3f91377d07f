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
  /** Compares addresses without case. */
  abstract findByEmail(email: string): Promise<User | null>;
  abstract find(userId: string): Promise<User | null>;
}
