export type PlatformRole = 'ADMIN' | 'MEMBER';

/** Who makes a request: a user with a token, or an API key. Both name what they may touch. */
export type Principal = UserPrincipal | ApiKeyPrincipal;

interface PrincipalBase {
  /** Projects the caller has a role in; a platform administrator and a platform key have all. */
  projectIds: readonly string[] | 'any';
  platformAdmin: boolean;
  /** The user behind the request: an API key's creator. Owner of what is created. */
  userId: string;
}

export interface UserPrincipal extends PrincipalBase {
  kind: 'user';
}

export interface ApiKeyPrincipal extends PrincipalBase {
  kind: 'api_key';
  apiKeyId: string;
}

/** The name under which a change is recorded (`updatedBy`): each user and each API key is a principal of its own. */
export const principalName = (principal: Principal): string =>
  principal.kind === 'user' ? principal.userId : `api_key:${principal.apiKeyId}`;
