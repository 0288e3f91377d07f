import { queryOptions } from '@tanstack/react-query';
import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { keptWithin } from '../api/queries';

export type ApiKey = Schemas['ApiKey'];
export type Role = ApiKey['role'];

const PAGE_SIZE = 50;
const DAY_MS = 86_400_000;

export const apiKeysQuery = (projectId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['api-keys', projectId, cursor],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/api-keys', { params: { query: { projectId, cursor, limit: PAGE_SIZE } }, signal })),
    placeholderData: keptWithin(projectId),
  });

export interface NewKey {
  projectId: string;
  displayName: string;
  role: Role;
  /** null for a key that does not expire. */
  days: number | null;
}

/** Makes a key. Only its answer has the key itself. */
export const createKey = ({ days, ...key }: NewKey) =>
  answerOf(
    POST('/api/v1/api-keys', {
      body: { ...key, expiresAt: days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString() },
    }),
  );

export const revokeKey = (id: string) => answerOf(DELETE('/api/v1/api-keys/{id}', { params: { path: { id } } }));
