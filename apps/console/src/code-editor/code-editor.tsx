import { useId } from 'react';
import { TextAreaField } from '../controls/field';
import { usePart } from '../controls/use-part';
import styles from './code-editor.module.css';
import type { Variables } from './value-completions';
import { words } from './words';

const loadCode = () => import('./code-part');

interface CodeEditorProps {
  label: string;
  value: string;
  /** The input of the code, as far as it is known: its members are suggested while one types. */
  inputs: Variables;
  isReadOnly: boolean;
  onChange: (code: string) => void;
}

/** TypeScript with colours, suggestions and search. The heavy part is loaded when the first code is shown. */
export function CodeEditor({ label, value, inputs, isReadOnly, onChange }: CodeEditorProps) {
  const id = useId();
  const code = usePart(loadCode);
  if (code.state === 'failed')
    return (
      <TextAreaField
        label={label}
        rows={16}
        spellCheck={false}
        readOnly={isReadOnly}
        className={styles['plain']}
        problem={words.notLoaded}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return (
    <div className={styles['field']}>
      <span id={`${id}-label`} className={styles['label']}>
        {label}
      </span>
      {code.state === 'loading' ? (
        <div role="status" className={styles['waiting']}>
          {words.loading}
        </div>
      ) : (
        <code.part.CodePart
          labelledBy={`${id}-label`}
          describedBy={`${id}-keys`}
          className={styles['code']}
          {...{ value, inputs, isReadOnly, onChange }}
        />
      )}
      <span id={`${id}-keys`} className={styles['says']}>
        {words.tabSays}
      </span>
    </div>
  );
}
