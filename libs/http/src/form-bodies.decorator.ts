import { RouteConfig } from '@nestjs/platform-fastify';

/** Lets a route take what a plain HTML form sends, besides JSON. */
export const TakesForms = (): MethodDecorator => RouteConfig({ takesForms: true });

export const takesForms = (config: unknown): boolean =>
  (config as { takesForms?: boolean } | undefined)?.takesForms === true;
