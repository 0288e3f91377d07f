import { Transform } from 'class-transformer';

const sent = new WeakMap<object, object>();

/**
 * Returns a copy of a body for the framework, which silently removes members called `constructor` and `__proto__` at
 * every depth. Members that `AsItCame` marks are taken from the original body.
 */
export function copyOf<Body extends object>(body: Body): Body {
  const copy = structuredClone(body);
  sent.set(copy, body);
  return copy;
}

/** Takes a member of a body unchanged. class-transformer would copy it and omit the parts that it cannot copy. */
export const AsItCame = (): PropertyDecorator =>
  Transform(({ obj, key }: { obj: object; key: string }) => {
    const body = (sent.get(obj) ?? obj) as Readonly<Record<string, unknown>>;
    return Object.hasOwn(body, key) ? body[key] : undefined;
  });
