import { RouteConfig } from '@nestjs/platform-fastify';

// Which bodies a route takes, and how large and deep they may be.

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

/** Lets a route take bodies of HTML forms besides JSON. */
export const TakesForms = (): MethodDecorator => RouteConfig({ takesForms: true });

export const takesForms = (config: unknown): boolean =>
  (config as { takesForms?: boolean } | undefined)?.takesForms === true;

/** Lets a route take a body of any type, of at most `bytes` bytes, unchanged. Its handler asks for the RawBody. */
export const TakesFiles = (bytes: number): MethodDecorator =>
  RouteConfig({ takesFiles: true, bodyLimits: { bytes, depth: 0 } });

export const takesFiles = (config: unknown): boolean =>
  (config as { takesFiles?: boolean } | undefined)?.takesFiles === true;
