import type { JsonReader } from './json-reader';
import type { JsonSchema } from './json-schema';

// Describes the members of a request once: the parser and the OpenAPI document both come from this description.

/** What a request is made of: how it is read, and its schema. */
export interface RequestShape<Value> {
  /** Reads the request. It adds problems to those of the reader. */
  read(reader: JsonReader): Value;
  readonly schema: JsonSchema;
}

/** A member of a request. Its name is given where the request is described. */
export interface Member<Value> {
  read: (reader: JsonReader, name: string) => Value;
  readonly schema: JsonSchema;
  /** Whether the member may be absent. */
  readonly isOptional?: boolean;
}

export type Members = Readonly<Record<string, Member<unknown>>>;

type Read<M> = M extends Member<infer Value> ? Value : never;
type OptionalNames<M> = { [Name in keyof M]: undefined extends Read<M[Name]> ? Name : never }[keyof M];

/** The values of members. */
export type ValuesOf<M> = { [Name in Exclude<keyof M, OptionalNames<M>>]: Read<M[Name]> } & {
  [Name in OptionalNames<M>]?: Read<M[Name]>;
};

/** The value that a shape reads. */
export type ValueOf<S> = S extends RequestShape<infer Value> ? Value : never;

/** Describes a request that has these members and no others. Whoever reads it refuses the others. */
export function shapeOf<M extends Members>(members: M): RequestShape<ValuesOf<M>> {
  const required = Object.keys(members).filter((name) => !members[name]?.isOptional);
  const properties = Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema]));
  return {
    read: (reader) => readMembers(members, reader),
    schema: {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties,
      additionalProperties: false,
    },
  };
}

/** Reads the members in their order. An absent member is absent in the result too. */
export function readMembers<M extends Members>(members: M, reader: JsonReader): ValuesOf<M> {
  const read = Object.entries(members).map(([name, member]) => [name, member.read(reader, name)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as ValuesOf<M>;
}

export const optional = <Value>({ read, schema }: Member<Value>): Member<Value | undefined> => ({
  read: (reader, name) => (reader.has(name) ? read(reader, name) : undefined),
  schema,
  isOptional: true,
});

export const orNull = <Value>({ read, schema, ...member }: Member<Value>): Member<Value | null> => ({
  ...member,
  read: (reader, name) => (reader.any(name) === null ? null : read(reader, name)),
  schema: { anyOf: [schema, { type: 'null' }] },
});

export interface TextLimits {
  minLength?: number;
  maxLength?: number;
}

/** What the document says about a member besides its limits. */
export interface Words {
  description?: string;
  example?: unknown;
}

export const text = (limits: TextLimits & Words = {}): Member<string> => ({
  read(reader, name) {
    const value = reader.requiredText(name);
    const problem = typeof reader.any(name) === 'string' ? lengthProblem(value.length, limits) : null;
    if (problem !== null) reader.wrong(name, problem);
    return value;
  },
  schema: { type: 'string', ...limits },
});

function lengthProblem(length: number, { minLength = 0, maxLength = Infinity }: TextLimits): string | null {
  if (length >= minLength && length <= maxLength) return null;
  if (maxLength === Infinity) return 'must not be empty.';
  if (minLength === 0) return `must have at most ${maxLength} characters.`;
  return `must have between ${minLength} and ${maxLength} characters.`;
}

/** The same member with other words in the document. */
export const worded = <M extends Member<unknown>>(member: M, words: Words): M => ({
  ...member,
  schema: { ...member.schema, ...words },
});

/** One of these texts. With `absent`, the member may be left out and reads as that text. */
export const oneOf = <T extends string>(values: readonly T[], absent?: T): Member<T> => ({
  read: (reader, name) => reader.oneOf(name, values, absent),
  schema: { type: 'string', enum: values, ...(absent === undefined ? {} : { default: absent }) },
  isOptional: absent !== undefined,
});

export const flag = (): Member<boolean> => ({
  read(reader, name) {
    reader.needs(name);
    return reader.flag(name, false);
  },
  schema: { type: 'boolean' },
});

export const number = (): Member<number> => ({
  read(reader, name) {
    reader.needs(name);
    return reader.number(name, 0);
  },
  schema: { type: 'number' },
});

/** Any JSON value, also null. */
/** A place in a list, from 0. */
export const index = (): Member<number> => ({
  read(reader, name) {
    reader.needs(name);
    const value = reader.number(name, 0);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    reader.wrong(name, 'must be a whole number from 0.');
    return 0;
  },
  schema: { type: 'integer', minimum: 0, description: 'Counted from 0.' },
});

export const anyJson = (): Member<unknown> => ({
  read(reader, name) {
    reader.needs(name);
    return reader.any(name);
  },
  schema: { description: 'Any JSON.' },
});

/** An object that has these members and no others. */
export const object = <M extends Members>(members: M): Member<ValuesOf<M>> => ({
  read(reader, name) {
    reader.needs(name);
    const inside = reader.inside(name);
    const values = readMembers(members, inside);
    inside.refuseOthers();
    return values;
  },
  schema: shapeOf(members).schema,
});
