import { CheckField } from '../controls/field';
import type { Step } from '../flow-picture/step';
import styles from './flow-editor.module.css';
import { words } from './panel-words';

interface OnFailureProps {
  settings: Step['settings'];
  onChange: (settings: Step['settings']) => void;
}

const OPTIONS = ['retryOnFailure', 'continueOnFailure'] as const;

/** What happens when the step fails. */
export function OnFailure({ settings, onChange }: OnFailureProps) {
  const options = (settings['errorHandlingOptions'] ?? {}) as Record<string, { value?: boolean }>;
  const set = (name: string, value: boolean) =>
    onChange({ ...settings, errorHandlingOptions: { ...options, [name]: { value } } });
  return (
    <>
      <p>{words.failureSays}</p>
      {OPTIONS.map((name) => (
        <div key={name}>
          <CheckField
            label={words[name]}
            isChecked={options[name]?.value ?? false}
            onCheck={(isChecked) => set(name, isChecked)}
          />
          <p className={styles['quiet']}>{words.onFailureSays[name]}</p>
        </div>
      ))}
    </>
  );
}
