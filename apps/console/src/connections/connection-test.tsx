import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Problem } from '../controls/problem';
import { Status } from '../controls/status';
import { useProject } from '../shell/project';
import { testConnection, type ConnectionDetail } from './connection-queries';
import { words } from './words';

/** Tries the connection, and says what came of it. */
export function ConnectionTest({ connection: { id, projectId } }: { connection: ConnectionDetail }) {
  const { mayIn } = useProject();
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => testConnection(id),
    // A test of OAuth 2.0 may have changed the status.
    onSettled: () => queries.invalidateQueries({ queryKey: ['connections'] }),
  });
  if (!mayIn(projectId, 'WRITE_CONNECTION')) return null;
  return (
    <div>
      <Button disabled={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? words.testing : words.test}
      </Button>
      <div role="status">
        {test.data && (
          <p>
            <Status tone={test.data.ok ? 'good' : 'bad'} word={test.data.ok ? words.works : words.fails} />{' '}
            {test.data.message}
          </p>
        )}
      </div>
      {test.error && <Problem error={test.error} />}
    </div>
  );
}
