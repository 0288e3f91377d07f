import type { Flow, PopulatedFlow } from '@millrace/domain';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { entityTagOf } from './entity-tag';
import type { FlowDto } from './flow.dto';

/** Removes the fields that serve only the edit guard and the entity tag. */
export function withoutInnerFields<F extends Flow>(flow: F): Omit<F, 'revision' | 'updatedBy'> {
  const { revision: _revision, updatedBy: _updatedBy, ...shown } = flow;
  return shown;
}

/** Answers the flow that a route returns, and sets `ETag` to its revision. */
@Injectable()
export class FlowAnswer implements NestInterceptor<PopulatedFlow, FlowDto> {
  intercept(context: ExecutionContext, next: CallHandler<PopulatedFlow>): Observable<FlowDto> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((flow) => {
        void reply.header('etag', entityTagOf(flow));
        // The list of versions says who published them.
        const { published: _published, ...version } = flow.version;
        return { ...withoutInnerFields(flow), version };
      }),
    );
  }
}
