import { queryOptions } from '@tanstack/react-query';
import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { keptWithin, queryClient } from '../api/queries';

export type Destination = Schemas['EventDestination'];
export type Delivery = Schemas['EventDelivery'];
export type EventKind = Destination['events'][number];

const PAGE_SIZE = 50;
/** Deliveries are tried again while one looks. */
const REFRESH_MS = 5_000;

export const destinationsQuery = (projectId: string, cursor: string | null) =>
  queryOptions({
    queryKey: ['destinations', projectId, cursor],
    queryFn: ({ signal }) => {
      const query = { projectId, cursor: cursor ?? undefined, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/event-destinations', { params: { query }, signal }));
    },
    placeholderData: keptWithin(projectId),
  });

export const destinationQuery = (id: string) =>
  queryOptions({
    queryKey: ['destinations', 'one', id],
    queryFn: ({ signal }) => answerOf(GET('/api/v1/event-destinations/{id}', { params: { path: { id } }, signal })),
  });

export const deliveriesQuery = (id: string, cursor: string | null) =>
  queryOptions({
    queryKey: ['destinations', 'deliveries', id, cursor],
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { cursor: cursor ?? undefined, limit: PAGE_SIZE } };
      return answerOf(GET('/api/v1/event-destinations/{id}/deliveries', { params, signal }));
    },
    refetchInterval: REFRESH_MS,
  });

const readAgain = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['destinations'] });

/** Makes a destination. Only the answer has the secret that signs the events. */
export async function createDestination(
  body: Schemas['CreateEventDestination'],
): Promise<Schemas['CreatedEventDestination']> {
  const destination = await answerOf(POST('/api/v1/event-destinations', { body }));
  await readAgain();
  return destination;
}

export async function changeDestination(id: string, body: Schemas['ChangeEventDestination']): Promise<void> {
  await answerOf(POST('/api/v1/event-destinations/{id}', { params: { path: { id } }, body }));
  await readAgain();
}

export async function deleteDestination(id: string): Promise<void> {
  await answerOf(DELETE('/api/v1/event-destinations/{id}', { params: { path: { id } } }));
  // Not awaited: the page that shows the destination is left, and must not be read again before that.
  void queryClient.invalidateQueries({ queryKey: ['destinations'], refetchType: 'none' });
}

export const testDestination = (id: string) =>
  answerOf(POST('/api/v1/event-destinations/{id}/test', { params: { path: { id } } }));

export async function redeliver(id: string, deliveryId: string): Promise<void> {
  const params = { path: { id, deliveryId } };
  await answerOf(POST('/api/v1/event-destinations/{id}/deliveries/{deliveryId}/redeliver', { params }));
  await readAgain();
}
