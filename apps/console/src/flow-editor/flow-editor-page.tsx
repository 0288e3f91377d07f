import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { ApiError } from '../api/api-error';
import { shownText } from '../controls/hidden-characters';
import { Problem } from '../controls/problem';
import { NotFoundPage } from '../shell/not-found-page';
import { titleOf } from '../shell/words';
import { Editor } from './editor';
import styles from './flow-editor.module.css';
import { flowQuery } from './flow-requests';
import { words } from './words';

export function FlowEditorPage() {
  const { id = '' } = useParams();
  const { data, error, refetch } = useQuery(flowQuery(id));
  if (!data && error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  return (
    <main id="content" tabIndex={-1} aria-label={words.editor} className={styles['page']}>
      <title>{titleOf(shownText(data?.flow.version.displayName ?? words.editor))}</title>
      {error && !data && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data && <Editor key={id} opened={data} />}
    </main>
  );
}
