import { useId } from 'react';
import styles from './radio-group.module.css';

interface RadioGroupProps<T extends string> {
  name: string;
  choices: readonly { value: T; label: string }[];
  chosen: T;
  onChoose: (value: T) => void;
}

export function RadioGroup<T extends string>({ name, choices, chosen, onChoose }: RadioGroupProps<T>) {
  const id = useId();
  return (
    <div role="radiogroup" aria-label={name} className={styles['choices']}>
      {choices.map(({ value, label }) => (
        <label key={value} className={styles['choice']}>
          <input type="radio" name={id} checked={value === chosen} onChange={() => onChoose(value)} />
          {label}
        </label>
      ))}
    </div>
  );
}
