import { useState } from 'react';
import { useNavigate } from 'react-router';
import { TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { inProject } from './project';
import { createProject } from './project-changes';
import { words } from './words';

/** Takes the name of a new project, and shows its flows. */
export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const create = async () => {
    const { id } = await createProject(name.trim());
    onClose();
    await navigate(inProject('/flows', id));
  };
  return (
    <FormDialog title={words.newProject} verb={words.createProject} onSubmit={create} onClose={onClose}>
      <TextField
        label={words.nameOfProject}
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
