import { useState } from 'react';
import { TextAreaField } from '../controls/field';
import styles from './flow-editor.module.css';
import { jsonText, readJson, type JsonShape } from './json-text';
import { unfinished } from './unfinished';

interface JsonFieldProps {
  /** Under which a text is kept that is not JSON yet. */
  id: string;
  label: string;
  shape: JsonShape;
  value: unknown;
  rows?: number;
  onChange: (value: unknown) => void;
}

/** A value as JSON. A text that is not JSON stays in the field, also when the step is left, and says why. */
export function JsonField({ id, label, shape, value, rows = 6, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => unfinished.get(id) ?? null);
  const problem = text === null ? null : readJson(text, shape).problem;
  const type = (typed: string) => {
    setText(typed);
    const read = readJson(typed, shape);
    if (read.problem === null) {
      unfinished.delete(id);
      onChange(read.value);
    } else unfinished.set(id, typed);
  };
  return (
    <TextAreaField
      label={label}
      rows={rows}
      spellCheck={false}
      className={styles['mono']}
      problem={problem}
      value={text ?? jsonText(value)}
      onChange={(event) => type(event.target.value)}
      onBlur={() => problem === null && setText(null)}
    />
  );
}
