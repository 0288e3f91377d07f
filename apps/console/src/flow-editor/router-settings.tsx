import { Button } from '../controls/button';
import { ChoiceField, TextField } from '../controls/field';
import { ConditionsField } from './conditions-field';
import { branchesOf } from './edit-flow';
import styles from './flow-editor.module.css';
import { NEW_CONDITION } from './new-step';
import type { StepSettingsProps } from './step-settings';
import { words } from './panel-words';

const EXECUTION_TYPES = Object.entries(words.executionTypes).map(([value, label]) => ({ value, label }));

interface Branch {
  branchType?: 'CONDITION' | 'FALLBACK';
  branchName?: string;
  conditions?: unknown;
}

export function RouterSettings({ step, flowId, isEditable, onChange, onEdit }: StepSettingsProps) {
  const branches: Branch[] = branchesOf(step);
  const { name: stepName, settings } = step;
  const change = (index: number, changes: Branch) =>
    onChange({
      ...settings,
      branches: branches.map((branch, at) => (at === index ? { ...branch, ...changes } : branch)),
    });
  return (
    <>
      <ChoiceField
        label={words.executionType}
        value={settings['executionType'] as string}
        choices={EXECUTION_TYPES}
        onChoose={(executionType) => onChange({ ...settings, executionType })}
      />
      {branches.map((branch, index) => (
        <BranchFields
          key={index}
          id={`${flowId}/${stepName}/branch ${index}`}
          number={index + 1}
          branch={branch}
          isEditable={isEditable}
          onChange={(changes) => change(index, changes)}
          onDelete={() => onEdit({ type: 'DELETE_BRANCH', request: { stepName, branchIndex: index } })}
        />
      ))}
      <div>
        <Button onClick={() => onEdit({ type: 'ADD_BRANCH', request: newBranch(stepName, branches) })}>
          {words.addBranch}
        </Button>
      </div>
    </>
  );
}

/** A new branch is the last before the fallback. */
function newBranch(stepName: string, branches: readonly Branch[]) {
  const fallback = branches.findIndex(({ branchType }) => branchType === 'FALLBACK');
  const branchIndex = fallback === branches.length - 1 && fallback >= 0 ? fallback : branches.length;
  return { stepName, branchIndex, branchName: words.newBranch(branchIndex + 1), conditions: [[NEW_CONDITION]] };
}

interface BranchFieldsProps {
  id: string;
  number: number;
  branch: Branch;
  isEditable: boolean;
  onChange: (changes: Branch) => void;
  onDelete: () => void;
}

function BranchFields({ id, number, branch, isEditable, onChange, onDelete }: BranchFieldsProps) {
  const { branchName = '', branchType, conditions } = branch;
  return (
    <fieldset className={styles['branch']}>
      <legend>{words.branch(number)}</legend>
      <TextField
        label={words.branchName}
        value={branchName}
        onChange={(event) => onChange({ branchName: event.target.value })}
      />
      {branchType === 'FALLBACK' ? (
        <p className={styles['quiet']}>{words.fallbackSays}</p>
      ) : (
        <>
          <ConditionsField
            id={id}
            value={conditions}
            isReadOnly={!isEditable}
            onChange={(changed) => onChange({ conditions: changed })}
          />
          <div>
            <Button onClick={onDelete}>{words.deleteBranch(branchName || words.newBranch(number))}</Button>
          </div>
        </>
      )}
    </fieldset>
  );
}
