import { useState } from 'react';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { words } from './dialog-words';
import { createFolder, deleteFolder, renameFolder, type Folder } from './folder-queries';
import { words as listWords } from './words';

interface NewFolderDialogProps {
  projectId: string;
  /** Is called with the id of the new folder. */
  onMade: (id: string) => void;
  onClose: () => void;
}

export function NewFolderDialog({ projectId, onMade, onClose }: NewFolderDialogProps) {
  const [name, setName] = useState('');
  const create = async () => onMade((await createFolder(projectId, name.trim())).id);
  return (
    <FormDialog title={listWords.newFolder} verb={words.createFolder} onSubmit={create} onClose={onClose}>
      <NameField name={name} onType={setName} />
    </FormDialog>
  );
}

interface FolderDialogProps {
  folder: Folder;
  onClose: () => void;
}

export function RenameFolderDialog({ folder: { id, displayName }, onClose }: FolderDialogProps) {
  const [name, setName] = useState(displayName);
  const rename = async () => {
    await renameFolder(id, name.trim());
    onClose();
  };
  return (
    <FormDialog
      title={words.renameFolderTitle(displayName)}
      verb={words.renameFolderNow}
      onSubmit={rename}
      onClose={onClose}
    >
      <NameField name={name} onType={setName} />
    </FormDialog>
  );
}

interface DeleteFolderDialogProps extends FolderDialogProps {
  onDeleted: () => void;
}

export function DeleteFolderDialog({ folder: { id, displayName }, onDeleted, onClose }: DeleteFolderDialogProps) {
  const remove = async () => {
    await deleteFolder(id);
    onDeleted();
  };
  return (
    <ConfirmDialog
      title={words.deleteFolderTitle(displayName)}
      verb={words.deleteFolderNow}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{words.deleteFolderSays}</p>
    </ConfirmDialog>
  );
}

const NameField = ({ name, onType }: { name: string; onType: (name: string) => void }) => (
  <TextField
    label={words.nameOfFolder}
    required
    maxLength={255}
    value={name}
    onChange={(event) => onType(event.target.value)}
  />
);
