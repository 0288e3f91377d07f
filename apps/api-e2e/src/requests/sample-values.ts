// Values that a schema allows and values that it does not, at its bounds.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  example?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
}

const MOMENT = '2026-01-31T08:00:00.000Z';
const EMAIL = 'ada@example.com';
const BLANK = '\\S';
/** How much is sent where the schema sets no limit. A parser with a lower limit hides it. */
const UNBOUNDED_TEXT = 2_000;
const UNBOUNDED_LIST = 200;

const typesOf = ({ type }: Schema): readonly (string | undefined)[] => (Array.isArray(type) ? type : [type]);
const typeOf = (schema: Schema): string | undefined => typesOf(schema)[0];

/** Values at the bounds of the schema, which a parser must take. */
export function allowedValues(schema: Schema): unknown[] {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap(allowedValues);
  const { enum: values } = schema;
  const withDefault = schema.default === undefined ? [] : [schema.default];
  if (values) return values;
  return typesOf(schema).flatMap((type) => [...withDefault, ...valuesOfType(type, schema)]);
}

function valuesOfType(type: string | undefined, schema: Schema): unknown[] {
  const { items = {} } = schema;
  switch (type) {
    case 'string':
      return allowedTexts(schema);
    case 'integer':
    case 'number':
      return [schema.minimum ?? 0, schema.maximum ?? 1];
    case 'boolean':
      return [true, false];
    case 'array':
      return [allowedValues(items).slice(0, 1), listOf(items, schema.maxItems ?? UNBOUNDED_LIST)];
    case 'null':
      return [null];
    default:
      return [];
  }
}

function allowedTexts({ format, pattern = '', example, minLength, maxLength }: Schema): unknown[] {
  if (format === 'date-time') return [MOMENT];
  if (format === 'email') return [EMAIL, EMAIL.padStart(maxLength ?? EMAIL.length, 'x')];
  const texts = ['x'.repeat(Math.max(1, minLength ?? 1)), 'x'.repeat(maxLength ?? UNBOUNDED_TEXT)];
  return texts.every((text) => new RegExp(pattern).test(text)) ? texts : [example];
}

/** Values beyond the bounds of the schema and of other types, which a parser must refuse. */
export function refusedValues(schema: Schema, place: string): unknown[] {
  const type = typeOf(schema);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.some((each) => typeOf(each) === 'object') ? [] : [{}];
  const beyond = [
    ...(schema.enum || ['date-time', 'email'].includes(schema.format ?? '') ? ['no such value'] : []),
    ...(schema.pattern === BLANK ? [' '] : []),
    ...((schema.minLength ?? 0) > 0 ? [''] : []),
    ...(schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)]),
    ...(schema.minimum === undefined ? [] : [schema.minimum - 1]),
    ...(schema.maximum === undefined ? [] : [schema.maximum + 1]),
    ...(schema.minItems && place !== 'query' ? [[]] : []),
    ...(schema.maxItems === undefined ? [] : [listOf(schema.items ?? {}, schema.maxItems + 1)]),
    ...(schema.items?.enum ? [['no such value']] : []),
    ...(type === 'integer' ? [1.5] : []),
    ...(type === 'integer' || type === 'number' || type === 'boolean' ? ['x'] : []),
  ];
  const otherTypes = place === 'query' || type === undefined ? [] : [type === 'object' ? 'x' : {}];
  return [...beyond, ...otherTypes];
}

function listOf(items: Schema, length: number): unknown[] {
  const [value = 'x'] = allowedValues(items);
  return Array.from({ length }, () => value);
}
