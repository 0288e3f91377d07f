import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { Loading } from '../controls/loading';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Table } from '../controls/table';
import { invitationsQuery, takeInvitationBack, type Invitation } from './member-queries';
import styles from './settings.module.css';
import { memberWords as words, roleWords } from './words';

interface InvitationsProps {
  projectId: string;
  mayChange: boolean;
}

/** Who is invited and has not come yet. */
export function Invitations({ projectId, mayChange }: InvitationsProps) {
  const { data, error, refetch } = useQuery(invitationsQuery(projectId));
  return (
    <section className={styles['wide']} aria-labelledby="invitations">
      <h2 id="invitations">{words.invitations}</h2>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.data.length === 0 && <p>{words.noInvitations}</p>}
      {data && data.data.length > 0 && <InvitationTable invitations={data.data} mayChange={mayChange} />}
      {data?.next && <p>{words.moreInvitations(data.data.length)}</p>}
    </section>
  );
}

interface InvitationTableProps {
  invitations: readonly Invitation[];
  mayChange: boolean;
}

function InvitationTable({ invitations, mayChange }: InvitationTableProps) {
  const [taken, setTaken] = useState<Invitation | null>(null);
  const columns = [words.email, words.role, words.expires];
  return (
    <>
      <Table name={words.invitations} columns={mayChange ? [...columns, words.actions] : columns}>
        {invitations.map((invitation) => (
          <tr key={invitation.id}>
            <td>{invitation.email}</td>
            <td>{roleWords.names[invitation.role]}</td>
            <td>
              <Moment at={invitation.expires} />
            </td>
            {mayChange && (
              <td>
                <Button aria-label={words.takeBackOf(invitation.email)} onClick={() => setTaken(invitation)}>
                  {words.takeBack}
                </Button>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {taken && (
        <ConfirmDialog
          title={words.takeBackTitle}
          verb={words.takeBackNow}
          onConfirm={() => takeInvitationBack(taken.id)}
          onClose={() => setTaken(null)}
        >
          <p>{words.takeBackSays(taken.email)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
