import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { ConnectionDialog } from '../connection-form/connection-dialog';
import { TYPE_WORDS } from '../connection-form/words';
import { Button } from '../controls/button';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { Copyable } from '../controls/copyable';
import { Facts } from '../controls/facts';
import { Moment } from '../controls/moment';
import { DetailPage } from '../shell/detail-page';
import { inProject, useProject } from '../shell/project';
import { ConnectionStatus } from './connection-status';
import { ConnectionTest } from './connection-test';
import { connectionQuery, deleteConnection, type ConnectionDetail } from './connection-queries';
import { words } from './words';

/** One connection: how it is, which flows use it, and how it is mended. What it holds, nobody can read. */
export function ConnectionPage() {
  const { id = '' } = useParams();
  const connection = useQuery(connectionQuery(id));
  return (
    <DetailPage
      name={connection.data?.displayName ?? words.connection}
      query={connection}
      actions={(loaded) => <Actions connection={loaded} />}
    >
      {(loaded) => <Details key={id} connection={loaded} />}
    </DetailPage>
  );
}

type Step = 'reconnect' | 'delete' | null;

function Actions({ connection }: { connection: ConnectionDetail }) {
  const [step, setStep] = useState<Step>(null);
  const { id, projectId, displayName } = connection;
  const { mayIn } = useProject();
  const navigate = useNavigate();
  const queries = useQueryClient();
  if (!mayIn(projectId, 'WRITE_CONNECTION')) return null;
  const close = () => setStep(null);
  const remove = async () => {
    await deleteConnection(id);
    await navigate(inProject('/connections', projectId));
    queries.removeQueries({ queryKey: connectionQuery(id).queryKey });
  };
  return (
    <>
      <Button onClick={() => setStep('reconnect')}>{words.reconnect}</Button>
      <Button onClick={() => setStep('delete')}>{words.delete}</Button>
      {step === 'reconnect' && (
        <ConnectionDialog projectId={projectId} replaced={connection} onConnected={close} onClose={close} />
      )}
      {step === 'delete' && (
        <ConfirmDialog title={words.deleteTitle(displayName)} verb={words.deleteNow} onConfirm={remove} onClose={close}>
          <p>{words.deleteSays}</p>
          {connection.flows.length > 0 && <p>{words.deleteUsedSays(connection.flows.length)}</p>}
          {connection.flows.length > 0 && <UsedBy connection={connection} />}
        </ConfirmDialog>
      )}
    </>
  );
}

const Details = ({ connection }: { connection: ConnectionDetail }) => (
  <>
    {connection.statusReason !== null && <p>{connection.statusReason}</p>}
    <Facts
      facts={[
        { name: words.kind, value: TYPE_WORDS[connection.type] },
        { name: words.status, value: <ConnectionStatus connection={connection} /> },
        { name: words.made, value: <Moment at={connection.created} /> },
        { name: words.changed, value: <Moment at={connection.updated} /> },
      ]}
    />
    <ConnectionTest connection={connection} />
    <section aria-labelledby="in-expressions">
      <h2 id="in-expressions">{words.inExpressions}</h2>
      <Copyable value={`{{connections['${connection.externalId}']}}`} copyWord={words.copyExpression} />
    </section>
    <section aria-labelledby="used-by">
      <h2 id="used-by">{words.usedBy}</h2>
      {connection.flows.length === 0 ? <p>{words.unused}</p> : <UsedBy connection={connection} />}
    </section>
    <p>
      <Link to={inProject('/connections', connection.projectId)}>{words.back}</Link>
    </p>
  </>
);

const UsedBy = ({ connection: { flows } }: { connection: ConnectionDetail }) => (
  <ul>
    {flows.map(({ id, displayName }) => (
      <li key={id}>
        <Link to={`/flows/${id}`}>{displayName}</Link>
      </li>
    ))}
  </ul>
);
