import { RouteConfig } from '@nestjs/platform-fastify';

export interface BodyLimit {
  bytes: number;
  /** How deep arrays and objects may nest. */
  depth: number;
}

/** What holds where a route says nothing else. */
export const DEFAULT_BODY_LIMIT: BodyLimit = { bytes: 1024 * 1024, depth: 128 };

export interface RouteBodyLimit extends BodyLimit {
  /** When given, what holds for this very body: at most what the route takes. */
  limitOf?: (body: unknown) => BodyLimit;
}

/** Lets a route take larger or deeper bodies than others. */
export const BodyLimits = (bodyLimit: RouteBodyLimit): MethodDecorator => RouteConfig({ bodyLimits: bodyLimit });

export function bodyLimitOf(config: unknown): RouteBodyLimit {
  return (config as { bodyLimits?: RouteBodyLimit } | undefined)?.bodyLimits ?? DEFAULT_BODY_LIMIT;
}
