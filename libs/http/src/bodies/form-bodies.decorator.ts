import { RouteConfig } from '@nestjs/platform-fastify';

/** Lets a route take bodies of HTML forms besides JSON. */
export const TakesForms = (): MethodDecorator => RouteConfig({ takesForms: true });

export const takesForms = (config: unknown): boolean =>
  (config as { takesForms?: boolean } | undefined)?.takesForms === true;
