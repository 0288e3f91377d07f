import { Cross2Icon } from '@radix-ui/react-icons';
import { Button } from '../controls/button';
import { CheckField, TextField } from '../controls/field';
import type { StepResult as Result } from '../flow-picture/run-marks';
import type { Step } from '../flow-picture/step';
import styles from './flow-editor.module.css';
import type { Piece } from './new-step';
import type { Operation } from './operation';
import { StepResult } from './step-result';
import { StepSettings } from './step-settings';
import { bare } from './step-tree';
import { useTyped } from './use-typed';
import { words } from './words';

interface StepPanelProps {
  step: Step;
  isTrigger: boolean;
  flowId: string;
  /** Undefined while they are read. */
  pieces: readonly Piece[] | undefined;
  isEditable: boolean;
  /** What the step did in the test. */
  results: readonly Result[];
  onEdit: (operation: Operation) => void;
  onChooseTrigger: () => void;
  onClose: () => void;
}

/** The settings of a step. What is typed is one change of the step, which is made when the person pauses. */
export function StepPanel(props: StepPanelProps) {
  const { step, isTrigger, isEditable, results, onEdit, onClose, onChooseTrigger, ...rest } = props;
  const { value, type, flush } = useTyped(bare(step), (request) =>
    onEdit(isTrigger ? { type: 'UPDATE_TRIGGER', request } : { type: 'UPDATE_ACTION', request }),
  );
  const change = (settings: Step['settings']) => type({ ...value, settings });
  const names = [step.name];
  return (
    <aside aria-label={words.stepSettings} className={styles['panel']} onBlur={flush}>
      <header className={styles['panelHead']}>
        <h2>{value.displayName}</h2>
        <Button aria-label={words.close} title={words.close} onClick={onClose}>
          <Cross2Icon aria-hidden />
        </Button>
      </header>
      <fieldset disabled={!isEditable} className={styles['fields']}>
        <TextField
          label={words.displayName}
          value={value.displayName}
          onChange={(event) => type({ ...value, displayName: event.target.value })}
        />
        <p className={styles['quiet']}>{words.stepName(step.name)}</p>
        {isTrigger && (
          <div>
            <Button onClick={onChooseTrigger}>{words.chooseTrigger}</Button>
          </div>
        )}
        <StepSettings step={value} onChange={change} {...{ isEditable, results, onEdit }} {...rest} />
        {(step.type === 'CODE' || step.type === 'PIECE') && <OnFailure step={value} onChange={change} />}
        {!isTrigger && (
          <div className={styles['stepActions']}>
            <Button onClick={() => onEdit({ type: 'DUPLICATE_ACTION', request: { stepName: step.name } })}>
              {words.duplicate}
            </Button>
            <Button onClick={() => onEdit({ type: 'SET_SKIP_ACTION', request: { names, skip: !step.skip } })}>
              {step.skip ? words.doNotSkip : words.skip}
            </Button>
            <Button
              onClick={() => {
                onClose();
                onEdit({ type: 'DELETE_ACTION', request: { names } });
              }}
            >
              {words.delete}
            </Button>
          </div>
        )}
      </fieldset>
      <StepResult name={step.name} results={results} />
    </aside>
  );
}

interface OnFailureProps {
  step: Step;
  onChange: (settings: Step['settings']) => void;
}

function OnFailure({ step: { settings }, onChange }: OnFailureProps) {
  const options = (settings['errorHandlingOptions'] ?? {}) as Record<string, { value?: boolean }>;
  const set = (name: string, value: boolean) =>
    onChange({ ...settings, errorHandlingOptions: { ...options, [name]: { value } } });
  return (
    <div>
      {(['continueOnFailure', 'retryOnFailure'] as const).map((name) => (
        <CheckField
          key={name}
          label={words[name]}
          isChecked={options[name]?.value ?? false}
          onCheck={(isChecked) => set(name, isChecked)}
        />
      ))}
    </div>
  );
}
