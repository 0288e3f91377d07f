import {
  AuditLog,
  EntityNotFoundError,
  InvalidRequestError,
  PermissionDeniedError,
  UserRepository,
  type AuditAction,
  type IssuerIdentity,
  type Principal,
  type User,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { PLATFORM_PERMISSION } from '../auth/requires.decorator';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import type { UserIdentityDto } from './user-identity.dto';

/** Links users to subjects of the configured issuer, whose tokens name no verified address (docs/adr/0062). */
@Injectable()
export class UserIdentityService {
  constructor(
    private readonly users: UserRepository,
    private readonly audit: AuditLog,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_OAUTH_ISSUER'>,
  ) {}

  async read(userId: string): Promise<UserIdentityDto> {
    await this.userOf(userId);
    return (await this.users.identityOf(userId)) ?? { issuer: null, subject: null };
  }

  /** A key links nobody to an administrator, because the link would outlive the key. */
  async link(principal: Principal, userId: string, subject: string): Promise<UserIdentityDto> {
    const { SVC_OAUTH_ISSUER: issuer } = this.settings;
    const user = await this.userOf(userId);
    if (user.platformRole === 'ADMIN' && principal.kind === 'api_key')
      throw new PermissionDeniedError(PLATFORM_PERMISSION);
    if (issuer === undefined)
      throw new InvalidRequestError([{ path: '/subject', message: 'is of no issuer: SVC_OAUTH_ISSUER is not set.' }]);
    const identity = { issuer, subject };
    await this.users.replaceIdentity(userId, identity);
    await this.record('user.identity_linked', userId, identity);
    return identity;
  }

  async unlink(userId: string): Promise<void> {
    await this.userOf(userId);
    const identity = await this.users.identityOf(userId);
    if (!identity) return;
    await this.users.replaceIdentity(userId, null);
    await this.record('user.identity_unlinked', userId, identity);
  }

  private async userOf(userId: string): Promise<User> {
    const user = await this.users.find(userId);
    if (!user) throw new EntityNotFoundError('user', userId);
    return user;
  }

  private record(action: AuditAction, userId: string, { issuer, subject }: IssuerIdentity): Promise<void> {
    return this.audit.record({
      projectId: null,
      action,
      targetType: 'user',
      targetId: userId,
      details: { issuer, subject },
    });
  }
}
