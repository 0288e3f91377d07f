/** Makes the request of a number from the OpenAPI document and the entities that exist. */
import { chanceOf } from '../chance.mjs';
import { hostileText, mutated, mutatedText, validValue } from './values.mjs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** The route of webhooks. It is added because the gateway serves it, and the api's document may lack it. */
const WEBHOOK = { name: 'POST /api/v1/webhooks/{flowId}', method: 'POST', path: '/api/v1/webhooks/{flowId}', spec: {} };

export function operationsOf(document) {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      spec: item[method],
    })),
  );
  return described.some(({ name }) => name === WEBHOOK.name) ? described : [...described, WEBHOOK];
}

/**
 * Makes the same request for the same number and seed.
 * @param {{ document: any, operations: any[], things: any, keys: Record<string, string> }} world `things`: see things.mjs
 */
export function requestNumber(number, seed, world) {
  const chance = chanceOf(seed, number);
  const operation = chance.pick(operationsWeighed(world.operations));
  const { keys, things } = world;
  const holder = holderOf(chance);
  const body = bodyOf(operation, world, chance);
  return {
    number,
    operation,
    holder,
    method: operation.method,
    path: pathOf(operation, things, chance) + queryOf(operation, things, chance),
    headers: {
      ...headersOf(operation, things, chance),
      ...authorizationOf(holder, keys, chance),
      ...typeOf(body, chance),
    },
    body,
  };
}

/** Repeats the route of flow operations ten times in the list, because it stands for dozens of operations. */
const operationsWeighed = (operations) =>
  operations.flatMap((one) => Array.from({ length: one.name === 'POST /api/v1/flows/{id}' ? 10 : 1 }, () => one));

const holderOf = (chance) => {
  const share = chance.below(100);
  if (share < 78) return 'owner';
  if (share < 84) return 'other';
  if (share < 90) return 'nobody';
  return share < 95 ? 'admin' : 'forger';
};

function authorizationOf(holder, keys, chance) {
  if (holder === 'nobody') return {};
  if (holder !== 'forger') return { authorization: `Bearer ${keys[holder]}` };
  const forged = [`${keys.owner}x`, `sk-${'a'.repeat(43)}`, 'a.b.c', '', keys.owner.slice(0, 20), 'x'.repeat(6_000)];
  return { authorization: `${chance.pick(['Bearer ', 'bearer ', 'Basic ', ''])}${chance.pick(forged)}` };
}

function pathOf({ path }, things, chance) {
  return path.replace(/\{(\w+)\}/g, (_all, name, offset) => {
    const kind = kindOf(name === 'id' ? (path.slice(0, offset).split('/').at(-2) ?? '') : name);
    return pathPart(kind, things, chance);
  });
}

function pathPart(kind, things, chance) {
  const share = chance.below(100);
  const real = things.pick(kind, chance);
  if (share < 70 && real) return encodeURIComponent(real);
  if (share < 80) return encodeURIComponent(things.pickForeign(kind, chance) ?? 'nope');
  if (share < 90) return encodeURIComponent(wellFormed(hostileText(chance))) || '%20';
  return chance.pick([
    '..%2f..%2fflows',
    '%2e%2e',
    '%zz',
    '%ff%fe',
    '%00',
    'a'.repeat(5_000),
    ';x=1',
    '%252e',
    '-1',
    '*',
  ]);
}

/** Replaces lone surrogates, for which encodeURIComponent throws. */
const wellFormed = (text) => text.toWellFormed?.() ?? Buffer.from(text).toString('utf8');

/** @type {[pattern: RegExp, kind: string][]} */
const KINDS = [
  [/^flow-?runs?|^runId$|parentRunId/i, 'runs'],
  [/version|^[ab]$/i, 'versions'],
  [/flow|webhook|externalId/i, 'flows'],
  [/folder/i, 'folders'],
  [/template/i, 'templates'],
  [/project/i, 'projects'],
  [/api-?key/i, 'apiKeys'],
  [/step|parent|^names?$/i, 'steps'],
  [/note/i, 'notes'],
  [/cursor/i, 'cursors'],
];

/** The kind of entity that a path segment, parameter or field of this name identifies; null when it is unknown. */
export const kindOf = (name) => KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? null;

function queryOf({ spec }, things, chance) {
  const parameters = (spec.parameters ?? []).filter((one) => one.in === 'query');
  const pairs = parameters.flatMap((one) =>
    (one.required && !chance.happens(0.05)) || chance.happens(0.3) ? pairsOf(one, things, chance) : [],
  );
  if (chance.happens(0.05))
    pairs.push([chance.pick(['unknown', '__proto__', 'constructor', 'limit[a]', 'a[b][c]']), 'x']);
  if (chance.happens(0.03) && pairs.length > 0) pairs.push(chance.pick(pairs));
  return pairs.length > 0
    ? `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(wellFormed(String(value)))}`).join('&')}`
    : '';
}

/** @param {{ name: string, schema?: any }} parameter */
function pairsOf({ name, schema = {} }, things, chance) {
  const idFor = (member) => things.pick(kindOf(member), chance);
  const context = { chance, idFor, resolve: () => ({}) };
  const one = () => (chance.happens(0.8) ? validValue(schema.items ?? schema, context, name) : hostileText(chance));
  if (schema.type !== 'array') return [[name, chance.happens(0.97) ? one() : hostileText(chance)]];
  const form = chance.pick([() => name, () => `${name}[]`, (index) => `${name}[${index}]`]);
  return Array.from({ length: 1 + chance.below(chance.happens(0.02) ? 150 : 3) }, (_, index) => [form(index), one()]);
}

function headersOf({ spec, method }, things, chance) {
  const headers = {};
  for (const { name } of (spec.parameters ?? []).filter((one) => one.in === 'header'))
    if (chance.happens(0.15)) headers[name.toLowerCase()] = headerValue(name, things, chance);
  if (method === 'POST' && chance.happens(0.05))
    headers['idempotency-key'] = headerValue('idempotency-key', things, chance);
  if (chance.happens(0.03))
    headers['if-match'] = chance.pick(['*', '"1"', 'W/"1"', '"', 'x', '"99999999999999999999"']);
  if (chance.happens(0.03)) headers['if-none-match'] = chance.pick(['*', '"1"', ',,,']);
  return headers;
}

function headerValue(name, things, chance) {
  if (chance.happens(0.6)) return `k${chance.below(20)}`;
  const real = things.pick(kindOf(name), chance);
  return real ?? chance.pick(['', ' ', 'x'.repeat(300), "' OR 1=1--", '\u00ff', '*', '"1"']);
}

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=klingon',
  'multipart/form-data',
  'x',
  '',
];

const typeOf = (body, chance) =>
  body === null ? {} : { 'content-type': chance.happens(0.97) ? 'application/json' : chance.pick(TYPES) };

function bodyOf({ method, spec }, { document, things }, chance) {
  if (method === 'GET' || (method === 'DELETE' && chance.happens(0.95))) return null;
  const resolve = (pointer) =>
    pointer
      .slice(2)
      .split('/')
      .reduce((value, part) => value?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  const idFor = (name) => {
    const kind = kindOf(name);
    return chance.happens(0.9) ? things.pick(kind, chance) : things.pickForeign(kind, chance);
  };
  const schema = spec.requestBody?.content?.['application/json']?.schema ?? {
    type: 'object',
    additionalProperties: true,
  };
  const value = validValue(schema, { resolve, idFor, chance });
  const share = chance.below(100);
  if (share < 45) return JSON.stringify(value);
  if (share < 85) return JSON.stringify(mutated(value, chance)) ?? '';
  return mutatedText(JSON.stringify(value), chance);
}
