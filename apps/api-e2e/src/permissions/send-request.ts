import type { Answer, ServiceClient } from '@millrace/e2e-support';
import type { DocumentRequest, IdPlace } from './document-requests';
import type { Kind } from './tenant';

type Ids = Readonly<Record<Kind, string>>;

export interface ErrorBody {
  code?: string;
  params?: Record<string, unknown>;
}

/** An id in place of the one that the request would have. */
export interface Replaced {
  place: IdPlace;
  id: string;
}

/**
 * What else a request has when this id is tried, by operation and name: the id would not be read without it. A member
 * that is null is left out, and one that is an id gets its own value.
 */
const WITH_ID: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'POST /api/v1/templates flowId': { template: null },
  'POST /api/v1/templates versionId': { template: null, flowId: '' },
  'POST /api/v1/store-entries scopeId': { scope: 'FLOW' },
  'DELETE /api/v1/store-entries scopeId': { scope: 'FLOW' },
};

/** Sends the request with these ids. */
export function send(
  client: ServiceClient,
  request: DocumentRequest,
  ids: Ids,
  replaced?: Replaced,
): Promise<Answer<ErrorBody | null>> {
  const beside = (replaced && WITH_ID[`${request.operation} ${replaced.place.name}`]) ?? {};
  const idAt = (place: IdPlace) => (replaced?.place === place ? replaced.id : ids[place.kind]);
  /** An optional id is sent where the example has it, and where it is replaced. */
  const isSent = (place: IdPlace, example: unknown) =>
    replaced?.place === place || place.kind === 'project' || hasMember(example, place.name);
  const valuesIn = (where: IdPlace['in'], example: unknown): Record<string, unknown> =>
    Object.fromEntries(
      request.places
        .filter((place) => place.in === where && (where === 'query' || isSent(place, example)))
        .map((place) => [place.name, place.isList ? [idAt(place)] : idAt(place)]),
    );

  const path = request.places
    .filter((place) => place.in === 'path')
    .reduce((filled, place) => filled.replace(`{${place.name}}`, idAt(place)), request.path)
    .replace('/api/v1', '')
    .replace('{name}', 'webhook');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({
    ...request.query,
    ...(request.method === 'POST' ? {} : beside),
    ...neededIn(request, valuesIn('query', {}), replaced),
  }))
    for (const each of [value].flat()) query.append(name, String(each));
  return client.request(
    request.method,
    `${path}${query.size > 0 ? `?${query.toString()}` : ''}`,
    bodyOf({ ...request, body: bodyWith(request.body, beside) }, valuesIn),
    valuesIn('header', {}) as Record<string, string>,
  );
}

/** Leaves out optional ids in a query that would only narrow a list, unless they are what is tried. */
function neededIn(request: DocumentRequest, values: Record<string, unknown>, replaced?: Replaced): object {
  const isNeeded = (name: string) => name === 'projectId' || name === 'flowId' || replaced?.place.name === name;
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => isNeeded(name) && !(name === 'flowId' && /flow-runs/.test(request.path))),
  );
}

function bodyOf(
  { body, places }: DocumentRequest,
  valuesIn: (where: IdPlace['in'], example: unknown) => object,
): unknown {
  if (places.some((place) => place.in === 'operation')) {
    const { type, request } = body as { type: string; request: object };
    return { type, request: { ...request, ...valuesIn('operation', request) } };
  }
  return isObject(body) ? { ...body, ...valuesIn('body', body) } : body;
}

const bodyWith = (body: unknown, more: Readonly<Record<string, unknown>>): unknown =>
  isObject(body)
    ? Object.fromEntries(Object.entries({ ...body, ...more }).filter(([name]) => more[name] !== null))
    : body;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const hasMember = (value: unknown, name: string): boolean => isObject(value) && Object.hasOwn(value, name);

/** Does all the work, several at a time. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
}
