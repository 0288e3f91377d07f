/** The contexts that packages expect: none says 0, the others their number. */
export type ContextVersion = 0 | 1 | 2;

/** A value of a connection as this service keeps it, in the form that packages of context 1 and 2 expect. */
export type AuthValue = Readonly<Record<string, unknown>> & { readonly type: string };

/** Returns the connection as this version expects it: packages of version 0 get secrets and properties unwrapped. */
export function authFor(value: AuthValue | null | undefined, version: ContextVersion): unknown {
  if (!value || version > 0) return value ?? undefined;
  if (value.type === 'SECRET_TEXT') return value['secret_text'];
  return value.type === 'CUSTOM_AUTH' ? value['props'] : value;
}
