import {
  Clock,
  EntityNotFoundError,
  invitationExpiry,
  PermissionDeniedError,
  UserInvitationRepository,
  UserRepository,
  type NamedProjectMember,
  type Page,
  type Principal,
  type UserInvitation,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { hashOfSecret, newInvitationToken } from '../auth/secret-tokens';
import { pageOf, type ProjectPagedQueryDto } from '../rest/paged-query.dto';
import type { CreatedInvitationDto, InviteUserDto, UserInvitationDto } from './user-invitation.dto';

const NOT_BY_KEYS = 'An API key stands for no person, so it cannot accept an invitation.';

@Injectable()
export class UserInvitationsService {
  constructor(
    private readonly invitations: UserInvitationRepository,
    private readonly users: UserRepository,
    private readonly access: ProjectAccess,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ProjectPagedQueryDto): Promise<Page<UserInvitationDto>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    const page = await this.invitations.list(projectId, this.clock.now(), pageOf(query));
    return { ...page, data: page.data.map(shown) };
  }

  /** Answers alike whether the person has an account or not. */
  async invite(principal: Principal, { email, role, projectId: named }: InviteUserDto): Promise<CreatedInvitationDto> {
    const projectId = await this.access.projectOf(principal, named);
    const token = newInvitationToken();
    const created = this.clock.now();
    const invitation: UserInvitation = {
      id: newId(),
      projectId,
      email,
      role,
      tokenHash: hashOfSecret(token),
      invitedBy: principal.userId,
      invitedByKeyId: principal.kind === 'api_key' ? principal.apiKeyId : null,
      expires: invitationExpiry(principal, created),
      created,
    };
    await this.invitations.insert(invitation);
    return { ...shown(invitation), token };
  }

  /** A key stands for no person, so it cannot accept. */
  async accept(principal: Principal, token: string): Promise<NamedProjectMember> {
    if (principal.kind === 'api_key') throw new PermissionDeniedError('ACCEPT_INVITATION', undefined, NOT_BY_KEYS);
    const user = await this.users.find(principal.userId);
    if (!user) throw new EntityNotFoundError('user', principal.userId);
    return this.invitations.accept(hashOfSecret(token), { kind: 'user', user }, this.clock.now());
  }

  delete(principal: Principal, invitationId: string): Promise<void> {
    return this.invitations.delete(invitationId, principal.projectIds);
  }
}

/** Leaves out the hash, which clients must not see. */
const shown = ({ id, projectId, email, role, invitedBy, expires, created }: UserInvitation): UserInvitationDto => ({
  id,
  projectId,
  email,
  role,
  invitedBy,
  expires,
  created,
});
