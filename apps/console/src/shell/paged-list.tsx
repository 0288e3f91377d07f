import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { Empty } from '../controls/empty';
import { Loading } from '../controls/loading';
import { Pager } from '../controls/pager';
import { Problem } from '../controls/problem';
import { words } from '../controls/words';

const CURSOR = 'cursor';

interface PagedListProps<T> {
  query: UseQueryResult<{ data: T[]; next: string | null }>;
  /** What is said when the list is empty. */
  none: ReactNode;
  children: (things: readonly T[]) => ReactNode;
}

/** Shows a page of a list, or why there is none, and turns the pages. Which page it is says the address. */
export function PagedList<T>({ query: { data, error, refetch }, none, children }: PagedListProps<T>) {
  const [cursor, turnTo] = useCursor();
  return (
    <>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.data.length === 0 && (typeof none === 'string' ? <Empty says={none} /> : none)}
      {data && data.data.length > 0 && children(data.data)}
      {data && (cursor ?? data.next) !== null && (
        <Pager>
          {cursor !== null && <Button onClick={() => turnTo(null)}>{words.firstPage}</Button>}
          {data.next !== null && <Button onClick={() => turnTo(data.next)}>{words.nextPage}</Button>}
        </Pager>
      )}
    </>
  );
}

/** The page of the list that the address names, null for the first one, and what turns to another. */
export function useCursor(): [string | null, (cursor: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const turnTo = (cursor: string | null) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (cursor === null) after.delete(CURSOR);
      else after.set(CURSOR, cursor);
      return after;
    });
  return [search.get(CURSOR), turnTo];
}
