import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET } from './client';

/** What everyone may know of this installation. It changes only when the service starts again. */
export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: ({ signal }) => answerOf(GET('/api/v1/installation', { signal })),
  staleTime: Infinity,
});
