import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Moment } from '../controls/moment';
import { Table } from '../controls/table';
import { PagedList, useCursor } from '../shell/paged-list';
import { useProject } from '../shell/project';
import { apiKeysQuery, type ApiKey } from './api-key-queries';
import { NewKeyDialog } from './new-key-dialog';
import { RevokeDialog } from './revoke-dialog';
import { PLACES, SettingsPage } from './settings-page';
import { keyWords as words, roleWords } from './words';

const COLUMNS = [words.name, words.role, words.ends, words.lastUsed, words.expires, words.actions];

/** The API keys of a project, which programs sign in with. */
export function ApiKeysPage() {
  const { projectId, may } = useProject();
  const [cursor] = useCursor();
  const [isMaking, setMaking] = useState(false);
  const keys = useQuery({ ...apiKeysQuery(projectId, cursor ?? undefined), enabled: may('WRITE_API_KEY') });
  return (
    <SettingsPage
      place={PLACES.apiKeys}
      actions={
        <Button isMain onClick={() => setMaking(true)}>
          {words.newKey}
        </Button>
      }
    >
      <PagedList query={keys} none={words.none}>
        {(all) => <KeyTable keys={all} />}
      </PagedList>
      {isMaking && <NewKeyDialog projectId={projectId} onClose={() => setMaking(false)} />}
    </SettingsPage>
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
            <td>{roleWords.names[key.role]}</td>
            <td>
              <code>…{key.lastFour}</code>
            </td>
            <td>{key.lastUsedAt === null ? words.never : <Moment at={key.lastUsedAt} />}</td>
            <td>{key.expiresAt === null ? words.noExpiry : <Moment at={key.expiresAt} />}</td>
            <td>
              <Button aria-label={words.revokeOf(key.displayName)} onClick={() => setRevoking(key)}>
                {words.revoke}
              </Button>
            </td>
          </tr>
        ))}
      </Table>
      {revoking && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}
