import { Transform } from 'class-transformer';

const sent = new WeakMap<object, object>();

/**
 * A copy of a body for the framework, which removes members called `constructor` and `__proto__` at every depth, in
 * silence. What `AsItCame` marks is taken from the body itself.
 */
export function copyOf<Body extends object>(body: Body): Body {
  const copy = structuredClone(body);
  sent.set(copy, body);
  return copy;
}

/** Takes a member of a body as it came: class-transformer would copy it, and leave out what it cannot. */
export const AsItCame = (): PropertyDecorator =>
  Transform(({ obj, key }: { obj: object; key: string }) => {
    const body = (sent.get(obj) ?? obj) as Readonly<Record<string, unknown>>;
    return Object.hasOwn(body, key) ? body[key] : undefined;
  });
