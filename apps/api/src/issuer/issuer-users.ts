import { AuditLog, InvalidBearerTokenError, UserRepository, type IssuerIdentity, type User } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { IssuerTokens, type IssuerPerson } from './issuer-tokens';

/** Finds the user to whom an access token of the configured issuer belongs (docs/adr/0062). */
@Injectable()
export class IssuerUsers {
  constructor(
    private readonly tokens: IssuerTokens,
    private readonly users: UserRepository,
    private readonly audit: AuditLog,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_SIGN_UP_ENABLED'>,
  ) {}

  /** Says whether the token names the configured issuer, so that `userOf` decides about it. */
  decidesOn(token: string): boolean {
    return this.tokens.namesIssuer(token);
  }

  /** Throws the errors of `IssuerTokens`, and InvalidBearerTokenError when the token is good but is nobody's. */
  async userOf(token: string): Promise<User> {
    const person = await this.tokens.verify(token);
    const user = (await this.users.findByIdentity(person.identity)) ?? (await this.linkedByEmail(person));
    if (!user) throw new InvalidBearerTokenError('The bearer token is valid, but belongs to no user of this service.');
    return user;
  }

  /**
   * Links a new identity to the user with its address. While everybody may sign up, an address here is a claim that
   * nobody has checked, so a stranger could have taken it first.
   */
  private async linkedByEmail({ identity, verifiedEmail }: IssuerPerson): Promise<User | null> {
    if (verifiedEmail === null || this.settings.SVC_SIGN_UP_ENABLED) return null;
    const user = await this.users.findByEmail(verifiedEmail);
    if (!user) return null;
    if (await this.users.linkIdentity(user.id, identity)) await this.record(user, identity);
    return this.users.findByIdentity(identity); // another request may have linked it meanwhile
  }

  private record({ id }: User, { issuer, subject }: IssuerIdentity): Promise<void> {
    const details = { issuer, subject };
    const event = {
      projectId: null,
      action: 'user.identity_linked',
      targetType: 'user',
      targetId: id,
      details,
    } as const;
    return this.audit.record(event, { actor: id, address: null });
  }
}
