import { useId, type ComponentProps, type ReactNode } from 'react';
import styles from './controls.module.css';

interface Labelled {
  label: string;
  /** Leaves the label to screen readers, where the place of the field says it already. */
  isLabelHidden?: boolean;
}

export function TextField({ label, isLabelHidden, ...rest }: Labelled & ComponentProps<'input'>) {
  const id = useId();
  return (
    <Field {...{ id, label, isLabelHidden }}>
      <input id={id} className={styles['input']} {...rest} />
    </Field>
  );
}

export interface Choice {
  value: string;
  label: string;
}

interface ChoiceFieldProps extends Labelled {
  value: string;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
}

/** One of a few values. */
export function ChoiceField({ label, isLabelHidden, value, choices, onChoose }: ChoiceFieldProps) {
  const id = useId();
  return (
    <Field {...{ id, label, isLabelHidden }}>
      <select id={id} className={styles['input']} value={value} onChange={(event) => onChoose(event.target.value)}>
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

const Field = ({ id, label, isLabelHidden = false, children }: FieldProps) => (
  <div className={styles['field']}>
    <label htmlFor={id} className={isLabelHidden ? styles['hidden'] : styles['label']}>
      {label}
    </label>
    {children}
  </div>
);
