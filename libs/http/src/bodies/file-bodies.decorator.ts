import { RouteConfig } from '@nestjs/platform-fastify';

/** Lets a route take a body of any type, of at most `bytes` bytes, unchanged. Its handler asks for the RawBody. */
export const TakesFiles = (bytes: number): MethodDecorator =>
  RouteConfig({ takesFiles: true, bodyLimits: { bytes, depth: 0 } });

export const takesFiles = (config: unknown): boolean =>
  (config as { takesFiles?: boolean } | undefined)?.takesFiles === true;
