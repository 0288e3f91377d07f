import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { Pager } from '../controls/pager';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Table } from '../controls/table';
import { Page } from '../shell/page';
import { useProject } from '../shell/project';
import { apiKeysQuery, type ApiKey } from './api-key-queries';
import { NewKeyDialog } from './new-key-dialog';
import { RevokeDialog } from './revoke-dialog';
import { words } from './words';

const COLUMNS = [words.name, words.role, words.ends, words.lastUsed, words.expires, words.actions];

/** The API keys of a project, which programs sign in with. */
export function ApiKeysPage() {
  const { projectId } = useProject();
  const [search, setSearch] = useSearchParams();
  const [isMaking, setMaking] = useState(false);
  const cursor = search.get('cursor') ?? undefined;
  const { data, error, refetch } = useQuery(apiKeysQuery(projectId, cursor));
  return (
    <Page
      name={words.apiKeys}
      actions={
        <Button isMain onClick={() => setMaking(true)}>
          {words.newKey}
        </Button>
      }
    >
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.loading}</p>}
      {data?.data.length === 0 && <p>{words.none}</p>}
      {data && data.data.length > 0 && <KeyTable keys={data.data} />}
      <Pager>
        {cursor && <Button onClick={() => setSearch({ projectId })}>{words.newest}</Button>}
        {data?.next && <Button onClick={() => setSearch({ projectId, cursor: data.next ?? '' })}>{words.older}</Button>}
      </Pager>
      {isMaking && <NewKeyDialog projectId={projectId} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function KeyTable({ keys }: { keys: readonly ApiKey[] }) {
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <>
      <Table name={words.apiKeys} columns={COLUMNS}>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>{key.displayName}</td>
            <td>{words.roles[key.role]}</td>
            <td>
              <code>…{key.lastFour}</code>
            </td>
            <td>{key.lastUsedAt === null ? words.never : <Moment at={key.lastUsedAt} />}</td>
            <td>{key.expiresAt === null ? words.noExpiry : <Moment at={key.expiresAt} />}</td>
            <td>
              <Button onClick={() => setRevoking(key)}>{words.revoke(key.displayName)}</Button>
            </td>
          </tr>
        ))}
      </Table>
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}
