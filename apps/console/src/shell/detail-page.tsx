import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error';
import { Loading } from '../controls/loading';
import { Problem } from '../controls/problem';
import { MissingPage } from './missing-page';
import { Page } from './page';

interface DetailPageProps<T> {
  name: string;
  query: UseQueryResult<T>;
  actions?: (thing: T) => ReactNode;
  children: (thing: T) => ReactNode;
}

/** A page about one thing, or what is the matter when it cannot be shown. */
export function DetailPage<T>({ name, query: { data, error, refetch }, actions, children }: DetailPageProps<T>) {
  if (error instanceof ApiError && error.status === 404) return <MissingPage error={error} />;
  return (
    <Page name={name} actions={data !== undefined && actions?.(data)}>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {data === undefined ? !error && <Loading /> : children(data)}
    </Page>
  );
}
