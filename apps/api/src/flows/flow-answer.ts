import type { Flow, Page, PopulatedFlow } from '@millrace/domain';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { entityTagOf } from './entity-tag';

type ShownFlow<F extends Flow> = Omit<F, 'revision' | 'updatedBy'>;

/** Removes the fields that serve only the edit guard and the entity tag. */
export function shownFlow<F extends Flow>({ revision: _revision, updatedBy: _updatedBy, ...flow }: F): ShownFlow<F> {
  return flow;
}

export const shownFlows = <F extends Flow>(page: Page<F>): Page<ShownFlow<F>> => ({
  ...page,
  data: page.data.map(shownFlow),
});

/** Answers the flow that a route returns, and sets `ETag` to its revision. */
@Injectable()
export class FlowAnswer implements NestInterceptor<PopulatedFlow, ShownFlow<PopulatedFlow>> {
  intercept(context: ExecutionContext, next: CallHandler<PopulatedFlow>): Observable<ShownFlow<PopulatedFlow>> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((flow) => {
        void reply.header('etag', entityTagOf(flow));
        return shownFlow(flow);
      }),
    );
  }
}
