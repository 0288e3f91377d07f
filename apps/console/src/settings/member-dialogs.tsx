import { useState } from 'react';
import { useNavigate } from 'react-router';
import { usePerson } from '../api/session';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { ChoiceField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { leaveProject } from '../shell/project-changes';
import { changeRole, removeMember, type Member } from './member-queries';
import { nameOf } from './member-name';
import { ROLE_CHOICES, type Role } from './roles';
import { memberWords as words } from './words';

interface MemberDialogProps {
  member: Member;
  onClose: () => void;
}

export function ChangeRoleDialog({ member, onClose }: MemberDialogProps) {
  const [role, setRole] = useState<Role>(member.role);
  const submit = async () => {
    await changeRole(member.id, role);
    onClose();
  };
  return (
    <FormDialog
      title={words.changeRoleOf(nameOf(member))}
      verb={words.changeRoleNow}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceField
        label={words.role}
        value={role}
        choices={ROLE_CHOICES}
        onChoose={(chosen) => setRole(chosen as Role)}
      />
      <p>{words.changeRoleSays}</p>
    </FormDialog>
  );
}

export function RemoveDialog({ member, onClose }: MemberDialogProps) {
  const navigate = useNavigate();
  const isMyself = usePerson()?.id === member.userId;
  const remove = async () => {
    await removeMember(member.id);
    if (!isMyself) return;
    leaveProject();
    await navigate('/flows', { replace: true });
  };
  return (
    <ConfirmDialog
      title={words.removeTitle(nameOf(member))}
      verb={words.removeNow}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{isMyself ? words.removeMyselfSays : words.removeSays}</p>
    </ConfirmDialog>
  );
}
