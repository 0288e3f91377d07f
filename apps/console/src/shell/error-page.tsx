import { useEffect } from 'react';
import { useRevalidator, useRouteError } from 'react-router';
import { ApiError, isPassing } from '../api/api-error';
import { PartNotLoadedError } from '../browser/loaded-part';
import { Problem } from '../controls/problem';
import { MissingPage } from './missing-page';
import styles from './shell.module.css';
import { titleOf, words } from './words';

const AGAIN_AFTER_MS = 5_000;

/** Stands in for a page that could not be shown. It goes on by itself after a failure that may pass. */
export function ErrorPage() {
  const error = useRouteError();
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!isPassing(error)) return undefined;
    const timer = setInterval(() => void revalidate(), AGAIN_AFTER_MS);
    return () => clearInterval(timer);
  }, [error, revalidate]);
  useEffect(() => {
    if (!(error instanceof PartNotLoadedError)) return undefined;
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [error]);
  if (error instanceof ApiError && error.status === 404) return <MissingPage error={error} />;
  return (
    <main id="content" tabIndex={-1} className={styles['alone']}>
      <title>{titleOf(words.failed)}</title>
      <h1>{words.failed}</h1>
      <Problem error={error} onTryAgain={reload} />
    </main>
  );
}

const reload = (): void => window.location.reload();
