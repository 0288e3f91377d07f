import { AuthenticationError, type Principal } from '@millrace/domain';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from './credentials.guard';

/** The principal of the request, as the guard has found it. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!user) throw new AuthenticationError();
  return user;
});
