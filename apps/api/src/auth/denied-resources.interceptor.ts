import {
  EntityNotFoundError,
  PermissionDeniedError,
  ResourceProjects,
  roleIn,
  type EntityType,
  type Principal,
} from '@millrace/domain';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { catchError, from, mergeMap, throwError, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from './credentials.guard';

/**
 * Tells a caller that its role does not suffice for what it can see. Queries find only what the principal may use
 * (CredentialsGuard), so they report the rest as unknown: rightly of projects in which it has no role, but not of its
 * own projects.
 */
@Injectable()
export class DeniedResources implements NestInterceptor {
  constructor(private readonly resources: ResourceProjects) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    return next
      .handle()
      .pipe(
        catchError((error: unknown) =>
          user
            ? from(this.toldTo(user, error)).pipe(mergeMap((told) => throwError(() => told)))
            : throwError(() => error),
        ),
      );
  }

  private async toldTo(principal: Principal, error: unknown): Promise<unknown> {
    const { permission, projectIds } = principal;
    if (!(error instanceof EntityNotFoundError) || permission === undefined || projectIds === 'any') return error;
    const { entityType, entityId } = error.params as { entityType: EntityType; entityId: string };
    const projectId = await this.resources.projectOf(entityType, entityId);
    const isSeen = projectId !== null && !projectIds.includes(projectId) && roleIn(principal, projectId) !== null;
    return isSeen ? new PermissionDeniedError(permission, projectId) : error;
  }
}
