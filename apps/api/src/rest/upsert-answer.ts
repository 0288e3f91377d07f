import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

/** The result of a request that creates or replaces a thing. */
export interface Upserted<T> {
  thing: T;
  isNew: boolean;
}

/** Answers the thing itself, with 201 when it was created and 200 when it was replaced. */
@Injectable()
export class UpsertAnswer<T> implements NestInterceptor<Upserted<T>, T> {
  intercept(context: ExecutionContext, next: CallHandler<Upserted<T>>): Observable<T> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map(({ thing, isNew }) => {
        void reply.status(isNew ? 201 : 200);
        return thing;
      }),
    );
  }
}
