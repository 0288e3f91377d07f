import { InvalidRequestError, isJsonObject, pointer } from '@millrace/domain';
import { Injectable, SetMetadata, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { foldLists } from './request-validation.pipe';

const IGNORES_QUERY = 'millrace:ignores-query';

/** Lets routes take any query: a probe may add one of its own, and a package may read that of its provider. */
export const IgnoresQuery = (): ClassDecorator & MethodDecorator => SetMetadata(IGNORES_QUERY, true);

/**
 * Refuses query parameters on routes whose handler reads no query, and members of a body on routes whose handler reads
 * no body. RequestValidationPipe checks what a handler reads.
 */
@Injectable()
export class UnreadInputInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!readsQuery(context)) refuseMembers(foldLists(query as Record<string, unknown>));
    if (!reads(context, RouteParamtypes.BODY, RouteParamtypes.RAW_BODY)) refuseMembers(body ?? {});
    return next.handle();
  }
}

const readsQuery = (context: ExecutionContext): boolean =>
  reads(context, RouteParamtypes.QUERY) || Reflect.hasMetadata(IGNORES_QUERY, context.getClass());

/** Says whether the handler of the route has a parameter of one of these types. */
function reads(context: ExecutionContext, ...types: readonly RouteParamtypes[]): boolean {
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  // Nest names each parameter by its type and its index, for instance `4:1`.
  return Object.keys(parameters ?? {}).some((key) => types.includes(Number(key.split(':', 1)[0])));
}

function refuseMembers(value: unknown): void {
  if (!isJsonObject(value)) throw new InvalidRequestError([{ path: '', message: 'must be a JSON object.' }]);
  const problems = Object.keys(value).map((name) => ({ path: pointer('', name), message: 'is not a known field.' }));
  if (problems.length > 0) throw new InvalidRequestError(problems);
}
