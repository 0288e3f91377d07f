import { RouteConfig } from '@nestjs/platform-fastify';

export interface BodyLimit {
  bytes: number;
  /** How deep arrays and objects may nest. */
  depth: number;
}

/** The limit of routes without a limit of their own. */
export const DEFAULT_BODY_LIMIT: BodyLimit = { bytes: 1024 * 1024, depth: 128 };

export interface RouteBodyLimit extends BodyLimit {
  /** Returns the limit of a parsed body. It must not exceed the limit of the route. */
  limitOf?: (body: unknown) => BodyLimit;
}

/** Lets a route take larger or deeper bodies than others. */
export const BodyLimits = (bodyLimit: RouteBodyLimit): MethodDecorator => RouteConfig({ bodyLimits: bodyLimit });

export function bodyLimitOf(config: unknown): RouteBodyLimit {
  return (config as { bodyLimits?: RouteBodyLimit } | undefined)?.bodyLimits ?? DEFAULT_BODY_LIMIT;
}
