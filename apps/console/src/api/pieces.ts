import { queryOptions } from '@tanstack/react-query';
import { ApiError } from './api-error';
import { answerOf, GET, POST, DELETE, type Schemas } from './client';
import { queryClient } from './queries';

export type Piece = Schemas['Piece'];
/** A package that is published, whether it is installed or not. */
export type CataloguedPiece = Schemas['CataloguedPiece'];

/** The name and the version of a package. */
export type PieceRef = Pick<Piece, 'name' | 'version'>;

const PAGE = 100;
/** Packages are installed seldom, also by others. */
const FRESH_FOR_MS = 60_000;

interface Page<T> {
  data: T[];
  next: string | null;
}

async function allPages<T>(read: (query: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { data, next } = await read({ limit: PAGE, ...(cursor && { cursor }) });
    found.push(...data);
    cursor = next;
  }
  return found;
}

/** The pieces that come with the service, and the installed packages, of each the newest version. */
export const piecesQuery = queryOptions({
  queryKey: ['pieces', 'installed'],
  queryFn: ({ signal }) => allPages((query) => answerOf(GET('/api/v1/pieces', { params: { query }, signal }))),
  staleTime: FRESH_FOR_MS,
});

/** The published packages that flows can name. They change only with the release of the service. */
export const catalogueQuery = queryOptions({
  queryKey: ['pieces', 'catalogue'],
  queryFn: ({ signal }) =>
    allPages((query) => answerOf(GET('/api/v1/pieces/catalogue', { params: { query }, signal }))),
  staleTime: Infinity,
});

const readPiece = (name: string, version: string | undefined, signal: AbortSignal): Promise<Piece> => {
  const query = version === undefined ? {} : { version };
  return answerOf(GET('/api/v1/pieces/{name}', { params: { path: { name }, query }, signal }));
};

/** A piece by its name. Of a package it is the newest installed version, or this one. */
export const pieceQuery = (name: string, version?: string) =>
  queryOptions({
    queryKey: ['pieces', 'one', name, version],
    queryFn: ({ signal }) => readPiece(name, version, signal),
    staleTime: FRESH_FOR_MS,
  });

/** As `pieceQuery`, but null for a package that is not installed, which may change at any time. */
export const pieceIfThereQuery = (name: string, version?: string) =>
  queryOptions({
    queryKey: ['pieces', 'if there', name, version],
    queryFn: ({ signal }): Promise<Piece | null> =>
      readPiece(name, version, signal).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }),
    staleTime: ({ state }) => (state.data ? FRESH_FOR_MS : 0),
  });

const forgetPieces = () => queryClient.invalidateQueries({ queryKey: ['pieces'] });

/** Installs a package of the registry. */
export async function installPiece({ name, version }: PieceRef): Promise<void> {
  await answerOf(POST('/api/v1/pieces', { body: { name, version } }));
  await forgetPieces();
}

export async function removePiece({ name, version }: PieceRef): Promise<void> {
  await answerOf(DELETE('/api/v1/pieces/{name}', { params: { path: { name }, query: { version } } }));
  await forgetPieces();
}
