import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, type Schemas } from '../api/client';

export type Piece = Schemas['Piece'];
/** A trigger or an action. */
export type PieceItem = Omit<Piece['triggers'][string], 'triggerType'>;
export type Prop = PieceItem['props'][string];

const MOST_PIECES = 100;

/** The pieces. They change only with the release of the service. */
export const piecesQuery = queryOptions({
  queryKey: ['pieces', 'catalogue'],
  queryFn: async ({ signal }) => {
    const { data } = await answerOf(GET('/api/v1/pieces', { params: { query: { limit: MOST_PIECES } }, signal }));
    return data.toSorted((one, other) => one.displayName.localeCompare(other.displayName));
  },
  staleTime: Infinity,
});

export const pieceQuery = (name: string) =>
  queryOptions({
    queryKey: ['pieces', 'one', name],
    queryFn: ({ signal }) => answerOf(GET('/api/v1/pieces/{name}', { params: { path: { name } }, signal })),
    staleTime: Infinity,
  });
