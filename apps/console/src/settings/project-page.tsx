import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { Problem } from '../controls/problem';
import { NewProjectDialog } from '../shell/new-project-dialog';
import { useProject } from '../shell/project';
import { deleteProject, renameProject } from '../shell/project-changes';
import { PLACES, SettingsPage } from './settings-page';
import styles from './settings.module.css';
import { projectWords as words } from './words';

/** The project itself: its name, another one, and its end. */
export function ProjectPage() {
  const { projectId, projects, may } = useProject();
  const [dialog, setDialog] = useState<'new' | 'delete' | null>(null);
  const name = projects.find(({ id }) => id === projectId)?.displayName ?? '';
  const close = () => setDialog(null);
  return (
    <SettingsPage place={PLACES.project} actions={<Button onClick={() => setDialog('new')}>{words.newProject}</Button>}>
      {may('WRITE_PROJECT') ? <NameForm key={projectId} projectId={projectId} name={name} /> : <p>{name}</p>}
      <p className={styles['quiet']}>
        {words.id} <code>{projectId}</code>
      </p>
      {may('WRITE_PROJECT') && (
        <section className={styles['section']} aria-labelledby="delete-project">
          <h2 id="delete-project">{words.delete}</h2>
          <p>{words.deleteSays}</p>
          <div>
            <Button onClick={() => setDialog('delete')}>{words.deleteOpen}</Button>
          </div>
        </section>
      )}
      {dialog === 'new' && <NewProjectDialog onClose={close} />}
      {dialog === 'delete' && <DeleteDialog projectId={projectId} name={name} onClose={close} />}
    </SettingsPage>
  );
}

function NameForm({ projectId, name }: { projectId: string; name: string }) {
  const [typed, setTyped] = useState(name);
  const { revalidate } = useRevalidator();
  const renaming = useMutation({
    mutationFn: async () => {
      await renameProject(projectId, typed.trim());
      await revalidate();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renaming.mutate();
  };
  return (
    <form className={`${styles['inline']} ${styles['grows']}`} onSubmit={submit}>
      <TextField
        label={words.name}
        required
        maxLength={255}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button isMain type="submit" disabled={renaming.isPending || typed.trim() === name}>
        {words.rename}
      </Button>
      <span role="status">{renaming.isSuccess && typed.trim() === name && words.renamed}</span>
      {renaming.error && <Problem error={renaming.error} />}
    </form>
  );
}

interface DeleteDialogProps {
  projectId: string;
  name: string;
  onClose: () => void;
}

/** Asks for the name, because all of a project goes with it. */
function DeleteDialog({ projectId, name, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const remove = async () => {
    if (typed.trim() !== name.trim()) throw new Error(words.anotherName);
    await deleteProject(projectId);
    await navigate('/flows', { replace: true });
  };
  return (
    <FormDialog title={words.deleteTitle(name)} verb={words.delete} onSubmit={remove} onClose={onClose}>
      <p>{words.deletePlan}</p>
      <TextField
        label={words.typeName}
        required
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}
