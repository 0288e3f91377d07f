import { useState, type ReactNode } from 'react';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { JsonField } from './json-field';
import { jsonText } from './json-text';
import styles from './prop-form.module.css';
import { RemoveButton } from './remove-button';
import { isObject, isRepeated, objectOfRows, rowsOfObject, type Row } from './rows';
import { RowsSwitch } from './rows-switch';
import { unfinished } from './unfinished';
import { ValueField } from './value-field';
import { words } from './words';

export interface ObjectFieldProps {
  id: string;
  label: string;
  value: unknown;
  isReadOnly: boolean;
  tools?: ReactNode;
  onChange: (value: unknown) => void;
}

/** An object with any members, row by row or as JSON. */
export function ObjectField(props: ObjectFieldProps) {
  const { id, label, value, isReadOnly, tools } = props;
  const [isChosen, setChosen] = useState(() => unfinished.get(id) !== undefined);
  // A member without a name can only be written as JSON.
  const needsJson = value !== undefined && (!isObject(value) || Object.hasOwn(value, ''));
  const isJson = isChosen || needsJson;
  const both = (
    <span className={styles['tools']}>
      {!needsJson && (
        <RowsSwitch label={label} isJson={isJson} isReadOnly={isReadOnly} onSwitch={() => setChosen(!isChosen)} />
      )}
      {tools}
    </span>
  );
  return isJson ? <JsonField {...props} shape="object" tools={both} /> : <ObjectRows {...props} tools={both} />;
}

function ObjectRows({ label, value, isReadOnly, tools, onChange }: ObjectFieldProps) {
  const [typed, setTyped] = useState<{ rows: Row[]; meaning: string } | null>(null);
  // A row without a name is no member yet, so it is only here. What comes from elsewhere takes its place.
  const rows = typed?.meaning === jsonText(value ?? {}) ? typed.rows : rowsOfObject(value);
  const set = (changed: Row[]) => {
    const object = objectOfRows(changed);
    setTyped({ rows: changed, meaning: jsonText(object) });
    if (jsonText(object) !== jsonText(value ?? {})) onChange(object);
  };
  const change = (index: number, changes: Partial<Row>) =>
    set(rows.map((row, at) => (at === index ? { ...row, ...changes } : row)));
  return (
    <fieldset className={styles['group']}>
      <legend>{label}</legend>
      <div className={styles['head']}>{tools}</div>
      {rows.map(({ name, value: member }, index) => (
        <div key={index} className={styles['row']}>
          <TextField
            label={words.rowName(label, index + 1)}
            isLabelHidden
            placeholder={words.name}
            spellCheck={false}
            readOnly={isReadOnly}
            aria-invalid={isRepeated(rows, index)}
            value={name}
            onChange={(event) => change(index, { name: event.target.value })}
          />
          <ValueField
            label={words.rowValue(label, index + 1)}
            isLabelHidden
            placeholder={words.value}
            isReadOnly={isReadOnly}
            value={member}
            onChange={(next) => change(index, { value: next })}
          />
          <RemoveButton
            name={name === '' ? String(index + 1) : name}
            from={label}
            isReadOnly={isReadOnly}
            onRemove={() => set(rows.filter((_row, at) => at !== index))}
          />
          {isRepeated(rows, index) && <p className={styles['bad']}>{words.sameName}</p>}
        </div>
      ))}
      <div>
        <Button
          aria-label={words.addTo(label)}
          disabled={isReadOnly}
          onClick={() => set([...rows, { name: '', value: '' }])}
        >
          {words.add}
        </Button>
      </div>
    </fieldset>
  );
}
