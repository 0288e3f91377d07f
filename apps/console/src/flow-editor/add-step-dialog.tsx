import { useId, useMemo, useState, type KeyboardEvent } from 'react';
import { Dialog } from '../controls/dialog';
import { StepIcon } from '../flow-picture/step-card';
import styles from './flow-editor.module.css';
import { matchingKinds, type StepKind } from './new-step';
import { words } from './panel-words';

interface AddStepDialogProps {
  title: string;
  kinds: readonly StepKind[];
  onChoose: (kind: StepKind) => void;
  onClose: () => void;
}

/** A palette of steps: typing searches, the arrows choose, Enter takes. */
export function AddStepDialog({ title, kinds, onChoose, onClose }: AddStepDialogProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useMemo(() => matchingKinds(kinds, typed), [kinds, typed]);
  const move = (to: number) => {
    const index = Math.max(0, Math.min(found.length - 1, to));
    setChosen(index);
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const kind = found[chosen];
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(chosen + 1),
      ArrowUp: () => move(chosen - 1),
      Enter: () => kind && onChoose(kind),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <input
        role="combobox"
        aria-label={words.searchSteps}
        placeholder={words.searchSteps}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        className={styles['search']}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label={words.steps} className={styles['kinds']}>
        {found.map((kind, index) => (
          <li
            key={kind.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={styles['kindRow']}
            onClick={() => onChoose(kind)}
          >
            <StepIcon type={kind.type} />
            <span>
              <b>{kind.name}</b> <span className={styles['quiet']}>{kind.piece}</span>
              <span className={styles['says']}>{kind.says}</span>
            </span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p role="status">{words.noStepMatches}</p>}
    </Dialog>
  );
}
