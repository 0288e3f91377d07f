import { useRouteError } from 'react-router';
import { ApiError } from '../api/api-error';
import { Problem } from '../controls/problem';
import { NotFoundPage } from './not-found-page';
import styles from './shell.module.css';
import { titleOf, words } from './words';

/** Stands in for a page that could not be shown. */
export function ErrorPage() {
  const error = useRouteError();
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  return (
    <main className={styles['alone']}>
      <title>{titleOf(words.failed)}</title>
      <h1>{words.failed}</h1>
      <Problem error={error} onTryAgain={() => window.location.reload()} />
    </main>
  );
}
