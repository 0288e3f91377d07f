import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

const describe = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'Entity tags of the flow, from its `ETag`: it is changed only while it is in one of these states.',
  schema: { type: 'string', example: '"3"' },
});

/** The header `If-Match`, unparsed. */
export const IfMatch = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined =>
    context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'],
  [(target, method) => method && describe(target, method, Object.getOwnPropertyDescriptor(target, method) ?? {})],
);
