import { useState, type ReactNode } from 'react';
import { Button } from '../controls/button';
import { TextField } from '../controls/field';
import { JsonField } from './json-field';
import { textOfValue } from './json-text';
import { ListItems } from './list-items';
import type { PieceProp } from './options-context';
import styles from './prop-form.module.css';
import { RemoveButton } from './remove-button';
import { RowsSwitch } from './rows-switch';
import { unfinished } from './unfinished';
import { ValueField } from './value-field';
import { words } from './words';

interface ListFieldProps {
  id: string;
  label: string;
  value: unknown;
  /** Hides what is typed. */
  isSecret: boolean;
  /** The members of each item, where the items are objects. */
  members?: Readonly<Record<string, PieceProp>>;
  isReadOnly: boolean;
  tools?: ReactNode;
  onChange: (value: unknown) => void;
}

/** More fields would make the page slow. */
const MOST_FIELDS = 100;

/** A list, item by item or as JSON. */
export function ListField(props: ListFieldProps) {
  const { id, label, value, isSecret, members, isReadOnly, tools, onChange } = props;
  const [isChosen, setChosen] = useState(() => unfinished.get(id) !== undefined);
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const fields = items.length * (members ? Object.keys(members).length : 1);
  const needsJson = value !== undefined && (!Array.isArray(value) || fields > MOST_FIELDS);
  const isJson = isChosen || needsJson;
  const both = (
    <span className={styles['tools']}>
      {!needsJson && !isSecret && (
        <RowsSwitch label={label} isJson={isJson} isReadOnly={isReadOnly} onSwitch={() => setChosen(!isChosen)} />
      )}
      {tools}
    </span>
  );
  if (isJson) return <JsonField {...props} shape="list" tools={both} />;
  if (members) return <ListItems {...{ id, label, items, members, isReadOnly, onChange }} tools={both} />;
  const set = (index: number, item: unknown) => onChange(items.map((old, at) => (at === index ? item : old)));
  return (
    <fieldset className={styles['group']}>
      <legend>{label}</legend>
      <div className={styles['head']}>{both}</div>
      {items.map((item, index) => (
        <div key={index} className={styles['item']}>
          {isSecret && !String(item).includes('{{') ? (
            <TextField
              label={words.item(label, index + 1)}
              isLabelHidden
              type="password"
              autoComplete="off"
              readOnly={isReadOnly}
              value={textOfValue(item)}
              onChange={(event) => set(index, event.target.value)}
            />
          ) : (
            <ValueField
              label={words.item(label, index + 1)}
              isLabelHidden
              isReadOnly={isReadOnly}
              value={item}
              onChange={(next) => set(index, next)}
            />
          )}
          <RemoveButton
            name={String(index + 1)}
            from={label}
            isReadOnly={isReadOnly}
            onRemove={() => onChange(items.filter((_item, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button aria-label={words.addTo(label)} disabled={isReadOnly} onClick={() => onChange([...items, ''])}>
          {words.add}
        </Button>
      </div>
    </fieldset>
  );
}
