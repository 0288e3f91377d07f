import { useId, type ComponentProps, type ReactNode } from 'react';
import styles from './controls.module.css';

interface Labelled {
  label: string;
  /** Leaves the label to screen readers, where the place of the field says it already. */
  isLabelHidden?: boolean;
  /** What stands at the end of the label, such as the switch to another kind of field. */
  tools?: ReactNode;
}

export function TextField({ label, isLabelHidden, tools, ...rest }: Labelled & ComponentProps<'input'>) {
  const id = useId();
  return (
    <Field {...{ id, label, isLabelHidden, tools }}>
      <input id={id} className={styles['input']} {...rest} />
    </Field>
  );
}

interface TextAreaFieldProps extends Labelled, ComponentProps<'textarea'> {
  /** What is wrong with the text; it is said beside the field. */
  problem?: string | null;
}

/** A text of several lines. */
export function TextAreaField({ label, isLabelHidden, problem = null, className = '', ...rest }: TextAreaFieldProps) {
  const id = useId();
  return (
    <Field {...{ id, label, isLabelHidden }}>
      <textarea
        id={id}
        className={`${styles['input']} ${styles['area']} ${className}`}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${id}-problem`}
        {...rest}
      />
      {problem !== null && (
        <span id={`${id}-problem`} className={styles['bad']}>
          {problem}
        </span>
      )}
    </Field>
  );
}

interface CheckFieldProps {
  label: string;
  tools?: ReactNode;
  isChecked: boolean;
  isDisabled?: boolean;
  onCheck: (isChecked: boolean) => void;
}

/** Yes or no. */
export const CheckField = ({ label, tools, isChecked, isDisabled = false, onCheck }: CheckFieldProps) => (
  <LabelRow tools={tools}>
    <label className={styles['check']}>
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onCheck(event.target.checked)}
      />
      {label}
    </label>
  </LabelRow>
);

export interface Choice {
  value: string;
  label: string;
}

interface ChoiceFieldProps extends Labelled {
  value: string;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
  isDisabled?: boolean;
}

/** One of a few values. */
export function ChoiceField({ label, isLabelHidden, tools, value, choices, onChoose, isDisabled }: ChoiceFieldProps) {
  const id = useId();
  return (
    <Field {...{ id, label, isLabelHidden, tools }}>
      <select
        id={id}
        className={styles['input']}
        value={value}
        disabled={isDisabled}
        onChange={(event) => onChoose(event.target.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface FieldProps extends Labelled {
  id: string;
  children: ReactNode;
}

const Field = ({ id, label, isLabelHidden = false, tools, children }: FieldProps) => (
  <div className={styles['field']}>
    <LabelRow tools={tools}>
      <label htmlFor={id} className={isLabelHidden ? styles['hidden'] : styles['label']}>
        {label}
      </label>
    </LabelRow>
    {children}
  </div>
);

const LabelRow = ({ tools, children }: { tools: ReactNode; children: ReactNode }) =>
  tools === undefined ? (
    children
  ) : (
    <div className={styles['labelRow']}>
      {children}
      {tools}
    </div>
  );
