/** Values that fit a schema, and mutations by which they no longer fit. */

export const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u0430',
  '😀'.repeat(50),
  "' OR '1'='1",
  "'; DROP TABLE flow; --",
  '../../../../etc/passwd',
  '..%2f..%2f',
  '{{trigger.constructor}}',
  '{{',
  '${7*7}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-1',
  '1e999',
  '2024-13-45T99:99:99Z',
  '+275760-09-14T00:00:00.000Z',
  'x'.repeat(300),
  'x'.repeat(20_000),
  '%',
  '\\',
  '"',
  '\r\nx: y',
];

/** @type {unknown[]} */
const HOSTILE_VALUES = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  -0,
  [],
  {},
  [[]],
  { $ne: null },
  { length: 1, 0: 'x' },
  { toString: 1, valueOf: 2 },
  Array.from({ length: 1_100 }, () => 0),
];

export const hostileText = (chance) => chance.pick(HOSTILE_TEXTS);

/** A hostile value. It is a copy, so that a mutation of it does not reach the next request. */
export const hostileValue = (chance) =>
  chance.happens(0.5) ? hostileText(chance) : structuredClone(chance.pick(HOSTILE_VALUES));

const DEEPEST = 8;

/**
 * Makes a value that fits the schema, as far as this function knows the schema's keywords.
 * @param {any} schema
 * @param {object} context
 * @param {(pointer: string) => any} context.resolve finds the schema of a `$ref`
 * @param {(name: string, chance: object) => string | undefined} context.idFor an existing id for a member of this name
 * @param {any} context.chance
 */
export function validValue(schema, { resolve, idFor, chance }, name = '', depth = 0) {
  const context = { resolve, idFor, chance };
  const inner = (child, childName) => validValue(child, context, childName, depth + 1);
  if (!schema || schema === true) return chance.pick(['x', 1, true, {}, []]);
  if (schema.$ref) return validValue(resolve(schema.$ref), context, name, depth);
  if ('const' in schema) return schema.const;
  if (schema.enum) return chance.pick(schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return inner(depth > DEEPEST ? plainest(choices) : chance.pick(choices), name);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => inner(part, name)));
  const type = Array.isArray(schema.type) ? chance.pick(schema.type) : schema.type;
  switch (type) {
    case 'string':
      return textFor(schema, idFor(name, chance), chance);
    case 'integer':
    case 'number':
      return numberFor(schema, chance);
    case 'boolean':
      return chance.happens(0.5);
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: arrayLength(schema, depth, chance) }, () => inner(schema.items, name));
    default:
      return objectFor(schema, inner, depth, chance);
  }
}

const plainest = (choices) => choices.find(({ type }) => type === 'null') ?? choices[0];

function textFor({ format, minLength = 0, maxLength = 60 }, real, chance) {
  if (format === 'date-time') return new Date(1.7e12 + chance.below(1e11)).toISOString();
  if (real !== undefined) return real;
  const length = Math.max(minLength, Math.min(maxLength, 1 + chance.below(20)));
  return Array.from({ length }, () => chance.pick([...'abcdefgh_ 0123é'])).join('');
}

const numberFor = ({ minimum = 0, maximum = 100 }, chance) =>
  minimum + chance.below(Math.min(maximum - minimum, 1e6) + 1);

const arrayLength = ({ minItems = 0, maxItems = 3 }, depth, chance) =>
  depth > DEEPEST ? minItems : minItems + chance.below(Math.min(maxItems - minItems, 3) + 1);

function objectFor({ properties = {}, required = [], additionalProperties }, inner, depth, chance) {
  const wanted = Object.keys(properties).filter(
    (name) => required.includes(name) || (depth <= DEEPEST && chance.happens(0.4)),
  );
  const members = wanted.map((name) => [name, inner(properties[name], name)]);
  if (additionalProperties && chance.happens(0.3)) members.push(['more', hostileValue(chance)]);
  return Object.fromEntries(members);
}

/** Every place in a value, as the object or list that holds it and the key in that holder. */
function placesIn(value, found = []) {
  if (typeof value !== 'object' || value === null || found.length > 500) return found;
  for (const key of Object.keys(value)) {
    found.push([value, key]);
    placesIn(value[key], found);
  }
  return found;
}

const VALUE_MUTATIONS = [
  ([holder, key]) => delete holder[key],
  ([holder, key], chance) => (holder[key] = hostileValue(chance)),
  ([holder, key], chance) => (holder[key] = hostileText(chance)),
  ([holder, key]) => (holder[key] = [holder[key]]),
  ([holder, key], chance) => (holder[key] = nested(10 + chance.below(1_500))),
  ([holder], chance) =>
    (holder[chance.pick(['extra', 'id', 'ownerId', 'toString', 'hasOwnProperty'])] = hostileValue(chance)),
];

function nested(depth) {
  /** @type {unknown} */
  let value = 1;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

/** Copies the value and makes one to three mutations. */
export function mutated(value, chance) {
  const copy = structuredClone(value);
  for (let left = 1 + chance.below(3); left > 0; left--) {
    const places = placesIn(copy);
    if (places.length === 0) return hostileValue(chance);
    chance.pick(VALUE_MUTATIONS)(chance.pick(places), chance);
  }
  return copy;
}

const TEXT_MUTATIONS = [
  (text, chance) => text.slice(0, chance.below(text.length + 1)),
  (text) => text.replace('{', '{"__proto__":{"polluted":1},'),
  (text) => text.replace('{', '{"constructor":{"prototype":{"polluted":1}},'),
  (text) => text.replace(/\{("[^"]*":)/, '{$1"first",$1'),
  (text) => text.replace(/:\s*"[^"]*"/, ':"\\ud800"'),
  (text) => text.replace(/:\s*"[^"]*"/, ':"\\u0000"'),
  (text) => text.replace(/:\s*("[^"]*"|\d+)/, ':NaN'),
  (text) => text.replace(/:\s*("[^"]*"|\d+)/, ':1e99999'),
  (text) => text.replace(/:\s*("[^"]*"|\d+)/, `:${'9'.repeat(5_000)}`),
  (text) => `\ufeff${text}`,
  (text) => `${text} extra`,
  (text) => `[${text}]`,
  (text, chance) => `${'['.repeat(1_000 + chance.below(20_000))}${text}`,
  (text) => text.replace('{', `{"p":"${'x'.repeat(1024 * 1024)}",`),
  () => '',
  () => 'null',
  () => '"text"',
];

/** Mutates JSON text, into JSON that no value can express or into invalid JSON. */
export const mutatedText = (text, chance) => chance.pick(TEXT_MUTATIONS)(text, chance);
