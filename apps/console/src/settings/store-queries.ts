import { queryOptions } from '@tanstack/react-query';
import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { keptWithin, queryClient } from '../api/queries';

export type StoreEntry = Schemas['StoreEntry'];
export type Scope = StoreEntry['scope'];

export const SCOPES = ['PROJECT', 'FLOW', 'RUN'] as const satisfies Scope[];

export interface StoreFilters {
  projectId: string;
  scope: Scope | undefined;
  key: string | undefined;
  cursor: string | undefined;
}

const PAGE_SIZE = 50;

export const storeQuery = ({ projectId, ...filters }: StoreFilters) =>
  queryOptions({
    queryKey: ['store', projectId, filters],
    queryFn: ({ signal }) => {
      const query = { projectId, ...filters, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/store-entries', { params: { query }, signal }));
    },
    placeholderData: keptWithin(projectId),
  });

/** Where a value is kept: the project's own values have no id of a flow or run. */
export type Place = Pick<StoreEntry, 'projectId' | 'scope' | 'key'> & { scopeId?: string };

export const placeOf = ({ projectId, scope, scopeId, key }: StoreEntry): Place =>
  scope === 'PROJECT' ? { projectId, scope, key } : { projectId, scope, scopeId, key };

const readAgain = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['store'] });

export async function putValue(place: Place, value: unknown): Promise<void> {
  await answerOf(POST('/api/v1/store-entries', { body: { ...place, value } as Schemas['PutStoreEntry'] }));
  await readAgain();
}

export async function removeValue(place: Place): Promise<void> {
  await answerOf(DELETE('/api/v1/store-entries', { params: { query: place } }));
  await readAgain();
}
