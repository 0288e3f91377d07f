export type PlatformRole = 'ADMIN' | 'MEMBER';

/** Who makes a request: a user with a token, or an API key. Both carry the projects that they may use. */
export type Principal = UserPrincipal | ApiKeyPrincipal;

interface PrincipalBase {
  /** The projects in which the caller has a role; `any` for a platform administrator and for a key of the platform. */
  projectIds: readonly string[] | 'any';
  platformAdmin: boolean;
  /** The user behind the request, who owns what the request creates. For an API key it is the key's creator. */
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
