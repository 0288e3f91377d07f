import { RouteConfig } from '@nestjs/platform-fastify';

/** Lets a route take what a plain HTML form sends, besides JSON. */
export const TakesForms = (): MethodDecorator => RouteConfig({ takesForms: true });

export const takesForms = (config: unknown): boolean =>
  (config as { takesForms?: boolean } | undefined)?.takesForms === true;

/** The members of a form; one that is there several times is a list. U+0000, which cannot be stored, reads U+FFFD. */
export function formMembers(text: string): Record<string, string | string[]> {
  const members = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const storable = value.replaceAll('\0', '\ufffd');
    const known = members.get(name);
    if (known) known.push(storable);
    else members.set(name, [storable]);
  }
  return Object.fromEntries(
    [...members].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}
