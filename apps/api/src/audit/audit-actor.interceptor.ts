import { actingAs, principalName } from '@millrace/domain';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../auth/credentials.guard';

/** What a caller without credentials is called in the audit log, for example whoever signs in. */
const ANYBODY = 'anonymous';

/** Lets the audit log know who makes a request, and from which address. */
@Injectable()
export class AuditActorInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const actor = { actor: request.user ? principalName(request.user) : ANYBODY, address: request.ip };
    // The handler runs when the observable is subscribed to.
    return new Observable((subscriber) => actingAs(actor, () => next.handle().subscribe(subscriber)));
  }
}
