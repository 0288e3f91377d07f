import { useState } from 'react';
import { ChoiceField, TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { ShownOnceDialog } from '../controls/shown-once-dialog';
import { invite } from './member-queries';
import { ROLE_CHOICES, type Role } from './roles';
import { memberWords as words } from './words';

/** Invites a person to the project, and shows the link for them once. */
export function InviteDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('EDITOR');
  const [token, setToken] = useState<string | null>(null);
  const submit = async () => setToken((await invite(projectId, email.trim(), role)).token);
  if (token !== null)
    return (
      <ShownOnceDialog
        title={words.invited(email.trim())}
        says={words.linkSays}
        value={invitationLink(token)}
        copyWord={words.copyLink}
        onClose={onClose}
      />
    );
  return (
    <FormDialog title={words.inviteTitle} verb={words.inviteNow} onSubmit={submit} onClose={onClose}>
      <TextField
        label={words.email}
        type="email"
        required
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <ChoiceField
        label={words.role}
        value={role}
        choices={ROLE_CHOICES}
        onChoose={(chosen) => setRole(chosen as Role)}
      />
    </FormDialog>
  );
}

/** The token is behind the `#`, which browsers send to no server, so that it is in no log. */
const invitationLink = (token: string): string =>
  `${window.location.origin}/sign-up#${new URLSearchParams({ invitation: token }).toString()}`;
