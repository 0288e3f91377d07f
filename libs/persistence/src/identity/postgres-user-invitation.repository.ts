import { Injectable } from '@nestjs/common';
import {
  EntityExistsError,
  EntityNotFoundError,
  isId,
  normalizedEmail,
  UserInvitationRepository,
  type Invitee,
  type NamedProjectMember,
  type Page,
  type PageRequest,
  type UserInvitation,
} from '@millrace/domain';
import { DataSource, MoreThan } from 'typeorm';
import { readEntityPage } from '../lists/entity-page';
import { newId } from '../postgres/new-id';
import { isUniqueViolation } from '../postgres/postgres-failure';
import { deleteInProjects } from './in-projects';
import { lockMaker } from './maker.statements';
import { insertMember } from './member.statements';
import { UserEntity } from './user.entity';
import { UserInvitationEntity } from './user-invitation.entity';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

const LOCK_PROJECT = `
  select from project where id = (select project_id from user_invitation where token_hash = $1) for key share`;

@Injectable()
export class PostgresUserInvitationRepository extends UserInvitationRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(invitation: UserInvitation): Promise<void> {
    const { invitedBy: userId, invitedByKeyId: keyId, projectId, role } = invitation;
    await inEntityTransaction(this.dataSource, async (tx) => {
      await lockMaker(tx, { userId, keyId }, { projectId, role, permission: 'WRITE_MEMBER' });
      await tx.insert(UserInvitationEntity, invitation);
    });
  }

  list(projectId: string, now: Date, page: PageRequest): Promise<Page<UserInvitation>> {
    const where = isId(projectId) ? { projectId, expires: MoreThan(now) } : null;
    return readEntityPage(this.invitations, page, { filters: ['invitations', projectId], where });
  }

  async delete(invitationId: string, projectIds: readonly string[] | 'any'): Promise<void> {
    await deleteInProjects(this.invitations, 'user_invitation', invitationId, projectIds);
  }

  async accept(tokenHash: string, { kind, user }: Invitee, now: Date): Promise<NamedProjectMember> {
    try {
      return await inEntityTransaction(this.dataSource, async (tx) => {
        // The project is locked first, as where it is deleted with its invitations.
        await tx.query(LOCK_PROJECT, [tokenHash]);
        // A second call with the token waits for the lock, and then finds nothing.
        const invitation = await tx.findOne(UserInvitationEntity, {
          where: { tokenHash, expires: MoreThan(now) },
          lock: { mode: 'pessimistic_write' },
        });
        if (invitation === null || normalizedEmail(invitation.email) !== normalizedEmail(user.email))
          throw EntityNotFoundError.byToken('user_invitation');
        if (kind === 'new user') await tx.insert(UserEntity, user);
        await tx.delete(UserInvitationEntity, { id: invitation.id });
        const { projectId, role } = invitation;
        return insertMember(tx, { id: newId(), projectId, userId: user.id, role, created: now, updated: now });
      });
    } catch (error) {
      throw isUniqueViolation(error) ? new EntityExistsError('user', 'email') : error;
    }
  }

  private get invitations() {
    return this.dataSource.getRepository(UserInvitationEntity);
  }
}
