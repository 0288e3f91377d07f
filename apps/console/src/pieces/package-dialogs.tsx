import { useState } from 'react';
import { installPiece, removePiece, type PieceRef } from '../api/pieces';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { words } from './words';

interface NamedPackage extends PieceRef {
  displayName: string;
}

/** What an administrator does with packages. */
export type PackageDialog = { kind: 'named' } | { kind: 'install' | 'remove'; piece: NamedPackage };

interface PackageDialogProps {
  piece: NamedPackage;
  onClose: () => void;
}

export const InstallDialog = ({ piece, onClose }: PackageDialogProps) => (
  <ConfirmDialog
    title={words.installTitle(piece)}
    verb={words.install}
    onConfirm={() => installPiece(piece)}
    onClose={onClose}
  >
    <p>{words.installPlan(piece)}</p>
  </ConfirmDialog>
);

export const RemoveDialog = ({ piece, onClose }: PackageDialogProps) => (
  <ConfirmDialog
    title={words.removeTitle(piece)}
    verb={words.remove}
    onConfirm={() => removePiece(piece)}
    onClose={onClose}
  >
    <p>{words.removePlan}</p>
  </ConfirmDialog>
);

/** Installs a package that the catalogue does not have, or another version of one. */
export function InstallNamedDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [version, setVersion] = useState('');
  const install = async () => {
    await installPiece({ name: name.trim(), version: version.trim() });
    onClose();
  };
  return (
    <FormDialog title={words.installNamed} verb={words.install} onSubmit={install} onClose={onClose}>
      <p>{words.installNamedSays}</p>
      <TextField
        label={words.packageName}
        required
        maxLength={214}
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={words.packageVersion}
        required
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        value={version}
        onChange={(event) => setVersion(event.target.value)}
      />
    </FormDialog>
  );
}
