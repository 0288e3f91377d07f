import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, type Schemas } from '../api/client';

export type Flow = Schemas['Flow'];

/** A flow as the service has it, and the tag by which a change of it is refused after another change. */
export interface SavedFlow {
  flow: Flow;
  etag: string;
}

export const flowQuery = (id: string) =>
  queryOptions({
    queryKey: ['flow', id],
    queryFn: ({ signal }) => saved(GET('/api/v1/flows/{id}', { params: { path: { id } }, signal })),
  });

/** Returns the flow that was answered. Throws as `answerOf` does. */
export async function saved(call: Promise<{ data?: Flow; error?: unknown; response: Response }>): Promise<SavedFlow> {
  let etag = '';
  const flow = await answerOf(
    call.then((answer) => {
      etag = answer.response.headers.get('etag') ?? '';
      return answer;
    }),
  );
  return { flow, etag };
}
