import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET } from '../api/client';
import type { Names } from './audit-names';
import { auditWords } from './words';

const MOST_NAMED = 100;

/** The names of members, keys, flows and connections, by id (keys as actors: `api_key:<id>`), as far as they are there. */
export const namesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['audit', projectId, 'names'],
    queryFn: async ({ signal }): Promise<Names> => {
      const params = { query: { projectId, limit: MOST_NAMED } };
      const [members, keys, flows, connections] = await Promise.all([
        answerOf(GET('/api/v1/project-members', { params, signal })),
        answerOf(GET('/api/v1/api-keys', { params, signal })),
        answerOf(GET('/api/v1/flows', { params, signal })),
        answerOf(GET('/api/v1/connections', { params, signal })),
      ]);
      return new Map([
        ...members.data.map(({ userId, user }) => [userId, `${user.firstName} ${user.lastName}`] as const),
        ...keys.data.map(({ id, displayName }) => [`api_key:${id}`, auditWords.key(displayName)] as const),
        ...flows.data.map(({ id, version }) => [id, version.displayName] as const),
        ...connections.data.map(({ id, displayName }) => [id, displayName] as const),
      ]);
    },
  });
