import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../controls/button';
import { MenuItem } from '../controls/menu';
import { Moment } from '../controls/moment';
import { RowMenu } from '../controls/row-menu';
import { Table } from '../controls/table';
import { PagedList, useCursor } from '../shell/paged-list';
import { useProject } from '../shell/project';
import { Invitations } from './invitations';
import { InviteDialog } from './invite-dialog';
import { ChangeRoleDialog, RemoveDialog } from './member-dialogs';
import { nameOf } from './member-name';
import { membersQuery, type Member } from './member-queries';
import { PLACES, SettingsPage } from './settings-page';
import { memberWords as words, roleWords } from './words';

/** Who has which role in the project, and who is invited. */
export function MembersPage() {
  const { projectId, may } = useProject();
  const [cursor] = useCursor();
  const [isInviting, setInviting] = useState(false);
  const members = useQuery(membersQuery(projectId, cursor));
  return (
    <SettingsPage
      place={PLACES.members}
      actions={
        may('WRITE_MEMBER') && (
          <Button isMain onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        )
      }
    >
      <PagedList query={members} none={words.none}>
        {(all) => <MemberTable members={all} mayChange={may('WRITE_MEMBER')} />}
      </PagedList>
      <Invitations projectId={projectId} mayChange={may('WRITE_MEMBER')} />
      {isInviting && <InviteDialog projectId={projectId} onClose={() => setInviting(false)} />}
    </SettingsPage>
  );
}

interface Change {
  kind: 'role' | 'remove';
  member: Member;
}

function MemberTable({ members, mayChange }: { members: readonly Member[]; mayChange: boolean }) {
  const [change, setChange] = useState<Change | null>(null);
  const columns = [words.name, words.email, words.role, words.since];
  const close = () => setChange(null);
  return (
    <>
      <Table name={words.members} columns={mayChange ? [...columns, words.actions] : columns}>
        {members.map((member) => (
          <tr key={member.id}>
            <td>{nameOf(member)}</td>
            <td>{member.user.email}</td>
            <td>{roleWords.names[member.role]}</td>
            <td>
              <Moment at={member.created} />
            </td>
            {mayChange && (
              <td>
                <RowMenu name={nameOf(member)}>
                  <MenuItem onChoose={() => setChange({ kind: 'role', member })}>{words.changeRole}</MenuItem>
                  <MenuItem onChoose={() => setChange({ kind: 'remove', member })}>{words.remove}</MenuItem>
                </RowMenu>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {change?.kind === 'role' && <ChangeRoleDialog member={change.member} onClose={close} />}
      {change?.kind === 'remove' && <RemoveDialog member={change.member} onClose={close} />}
    </>
  );
}
