import { useState, type FormEvent } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { TextField } from '../controls/field';
import type { Step } from '../flow-picture/step';
import type { Definition } from './definition';
import { edited } from './edit-flow';
import styles from './flow-editor.module.css';
import type { Operation } from './operation';
import { isStepName, renaming } from './rename-step';
import { bare, findStep } from './step-tree';
import { words } from './panel-words';

interface RenameStepDialogProps {
  step: Step;
  flow: Definition;
  schemaVersion: string;
  onEdit: (operations: Operation[]) => void;
  onClose: () => void;
}

/** Another name of a step for people, and one for expressions. */
export function RenameStepDialog({ step, flow, schemaVersion, onEdit, onClose }: RenameStepDialogProps) {
  const [displayName, setDisplayName] = useState(step.displayName);
  const [name, setName] = useState(step.name);
  const problem = problemOf(name, step, flow.trigger);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem !== null) return;
    onClose();
    onEdit(changes());
  };
  const changes = (): Operation[] => {
    const type = step === flow.trigger ? 'UPDATE_TRIGGER' : 'UPDATE_ACTION';
    const titled = displayName.trim() === '' ? step.displayName : displayName.trim();
    const request = { ...bare(step), displayName: titled };
    const first: Operation[] = titled === step.displayName ? [] : [{ type, request }];
    if (name === step.name) return first;
    return [renaming(first.reduce(edited, flow), step.name, name, schemaVersion)];
  };
  return (
    <Dialog title={words.renameTitle} isOpen onClose={onClose}>
      <form className={styles['fields']} onSubmit={submit}>
        <TextField
          label={words.displayName}
          maxLength={1_000}
          value={displayName}
          onChange={(event) => setDisplayName(event.target.value)}
        />
        <TextField
          label={words.nameInExpressions}
          spellCheck={false}
          maxLength={100}
          aria-invalid={problem !== null}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <p role={problem === null ? undefined : 'alert'} className={styles[problem === null ? 'quiet' : 'failure']}>
          {problem ?? words.nameSays}
        </p>
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button isMain type="submit" disabled={problem !== null}>
            {words.rename}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function problemOf(name: string, step: Step, trigger: Step): string | null {
  if (!isStepName(name)) return words.nameWrong;
  return name !== step.name && findStep(trigger, name) ? words.nameTaken : null;
}
