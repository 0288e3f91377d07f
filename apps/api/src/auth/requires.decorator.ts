import type { Permission } from '@millrace/domain';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';

// Every route says what its caller needs: a permission, a credential alone, the administration of the platform, the
// worker token, or nothing (`Public`). CredentialsGuard refuses a route that says none of these. A public route with a guard of its own
// may say what that asks for.

export const REQUIREMENT = 'millrace:requirement';

/** What a route needs of its caller. */
export type Requirement =
  | { kind: 'permission'; permissionFor: (body: unknown) => Permission }
  | { kind: 'credentials' }
  | { kind: 'platform administrator' }
  | { kind: 'worker token' };

/** The name of the extension that tells the requirement in the OpenAPI document. */
const EXTENSION = 'x-permission';

const requires = (requirement: Requirement, shown: string | readonly string[]): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(REQUIREMENT, requirement), ApiExtension(EXTENSION, shown));

/** The caller's role must grant the permission, in the project of what the request is about. */
export const Requires = (permission: Permission): MethodDecorator & ClassDecorator =>
  requires({ kind: 'permission', permissionFor: () => permission }, permission);

/** The body of the request decides which of these permissions the caller needs. */
export const RequiresByBody = (
  permissions: readonly Permission[],
  permissionFor: (body: unknown) => Permission,
): MethodDecorator => requires({ kind: 'permission', permissionFor }, permissions);

/** Every caller with good credentials may call the route. */
export const RequiresCredentials = (): MethodDecorator & ClassDecorator =>
  requires({ kind: 'credentials' }, CREDENTIALS);

/** Only an administrator of the platform, or a key with the same rights, may call the route. */
export const RequiresPlatformAdministrator = (): MethodDecorator & ClassDecorator =>
  requires({ kind: 'platform administrator' }, PLATFORM_PERMISSION);

/** Only workers may call the route, by their token. */
export const RequiresWorkerToken = (): MethodDecorator =>
  applyDecorators(requires({ kind: 'worker token' }, WORKER_PERMISSION), ApiSecurity(WORKER_TOKEN_SCHEME));

/** The name of the worker token among the security schemes of the OpenAPI document. */
export const WORKER_TOKEN_SCHEME = 'workerToken';

/** What a caller lacks who is no administrator of the platform. */
export const PLATFORM_PERMISSION = 'ADMINISTER_PLATFORM';

/** What a caller lacks who is no user and no key. */
export const CREDENTIALS = 'CREDENTIALS';

/** What a caller lacks who is no worker. */
export const WORKER_PERMISSION = 'WORKER_TOKEN';
