import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { ConnectionDialog } from '../connection-form/connection-dialog';
import { TYPE_WORDS } from '../connection-form/words';
import { Button } from '../controls/button';
import { Moment } from '../controls/moment';
import { Table } from '../controls/table';
import { Page } from '../shell/page';
import { PagedList, useCursor } from '../shell/paged-list';
import { inProject, useProject } from '../shell/project';
import { connectionsQuery, type Connection } from './connection-queries';
import { ConnectionStatus } from './connection-status';
import { words } from './words';

/** The connections of a project, without what they hold. */
export function ConnectionsPage() {
  const { projectId, may } = useProject();
  const [cursor] = useCursor();
  const [isMaking, setMaking] = useState(false);
  const navigate = useNavigate();
  const connections = useQuery(connectionsQuery(projectId, cursor));
  return (
    <Page
      name={words.connections}
      actions={
        may('WRITE_CONNECTION') && (
          <Button isMain onClick={() => setMaking(true)}>
            {words.newConnection}
          </Button>
        )
      }
    >
      <PagedList query={connections} none={words.none}>
        {(all) => <ConnectionTable connections={all} />}
      </PagedList>
      {isMaking && (
        <ConnectionDialog
          projectId={projectId}
          onConnected={({ id }) => void navigate(inProject(`/connections/${id}`, projectId))}
          onClose={() => setMaking(false)}
        />
      )}
    </Page>
  );
}

const COLUMNS = [words.name, words.kind, words.status, words.inExpressions, words.changed];

const ConnectionTable = ({ connections }: { connections: readonly Connection[] }) => (
  <Table name={words.connections} columns={COLUMNS}>
    {connections.map((connection) => (
      <tr key={connection.id}>
        <td>
          <Link to={inProject(`/connections/${connection.id}`, connection.projectId)}>{connection.displayName}</Link>
        </td>
        <td>{TYPE_WORDS[connection.type]}</td>
        <td>
          <ConnectionStatus connection={connection} />
        </td>
        <td>
          <code>{connection.externalId}</code>
        </td>
        <td>
          <Moment at={connection.updated} />
        </td>
      </tr>
    ))}
  </Table>
);
