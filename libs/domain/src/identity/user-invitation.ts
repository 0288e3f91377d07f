import type { Page, PageRequest } from '../page';
import type { ProjectRole } from './permissions';
import type { Principal } from './principal';
import type { NamedProjectMember } from './project-member';
import type { User } from './user';

/** How long the token of an invitation can be accepted. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Returns when an invitation ends: with the key that sends it at the latest, which may expire. */
export function invitationExpiry(sender: Principal, now: Date): Date {
  const expires = new Date(now.getTime() + LIFETIME_MS);
  const ofKey = sender.kind === 'api_key' ? sender.expiresAt : null;
  return ofKey !== null && ofKey < expires ? ofKey : expires;
}

/** The token of an invitation is shown once; only its SHA-256 is stored. */
export interface UserInvitation {
  id: string;
  projectId: string;
  /** Only a user with this address can accept. Case does not matter. */
  email: string;
  role: ProjectRole;
  tokenHash: string;
  invitedBy: string;
  /** The key that made the invitation; it takes the invitation along when it is revoked. */
  invitedByKeyId: string | null;
  expires: Date;
  created: Date;
}

/** Who accepts: a user who exists, or one who is made together with the membership. */
export type Invitee = { kind: 'user'; user: User } | { kind: 'new user'; user: User };

export abstract class UserInvitationRepository {
  /** Inserts the invitation if its sender may still invite. Throws as ApiKeyRepository.insert. */
  abstract insert(invitation: UserInvitation): Promise<void>;
  /** Lists the invitations of a project that can still be accepted, newest first. */
  abstract list(projectId: string, now: Date, page: PageRequest): Promise<Page<UserInvitation>>;
  /** Throws EntityNotFoundError. */
  abstract delete(invitationId: string, projectIds: readonly string[] | 'any'): Promise<void>;
  /**
   * Makes the invitee a member, and uses the invitation up. Of two calls with one token one succeeds. Throws
   * EntityNotFoundError for a token that is unknown, used, expired or of another address, and EntityExistsError when the
   * user is a member already or the address of a new user is taken; the invitation stays then.
   */
  abstract accept(tokenHash: string, invitee: Invitee, now: Date): Promise<NamedProjectMember>;
}
