import { useState, type ReactNode } from 'react';
import { Button } from '../controls/button';
import { OptionsContext, type PieceProp } from './options-context';
import { PropForm } from './prop-form';
import styles from './prop-form.module.css';
import { RemoveButton } from './remove-button';
import { isObject } from './rows';
import { unfinished } from './unfinished';
import { ValueField } from './value-field';
import { words } from './words';

interface ListItemsProps {
  id: string;
  label: string;
  items: readonly unknown[];
  members: Readonly<Record<string, PieceProp>>;
  isReadOnly: boolean;
  tools: ReactNode;
  onChange: (items: unknown[]) => void;
}

/** A list of objects: for each a group with the fields of its members. An item that is an expression has one field. */
export function ListItems({ id, label, items, members, isReadOnly, tools, onChange }: ListItemsProps) {
  const [keys, setKeys] = useItemKeys(items.length);
  const set = (index: number, item: unknown) => onChange(items.map((old, at) => (at === index ? item : old)));
  const remove = (index: number) => {
    unfinished.deleteUnder(`${id}/${keys[index]}/`);
    setKeys(keys.filter((_key, at) => at !== index));
    onChange(items.filter((_item, at) => at !== index));
  };
  return (
    <fieldset className={styles['group']}>
      <legend>{label}</legend>
      <div className={styles['head']}>{tools}</div>
      {items.map((item, index) => (
        <fieldset key={keys[index]} className={styles['group']}>
          <legend>{words.item(label, index + 1)}</legend>
          <div className={styles['head']}>
            <RemoveButton
              name={String(index + 1)}
              from={label}
              isReadOnly={isReadOnly}
              onRemove={() => remove(index)}
            />
          </div>
          {isObject(item) ? (
            // Only inputs of the piece itself can be asked for, not the members of one.
            <OptionsContext value={null}>
              <PropForm
                id={`${id}/${keys[index]}`}
                props={members}
                values={item}
                isReadOnly={isReadOnly}
                onChange={(values) => set(index, values)}
              />
            </OptionsContext>
          ) : (
            <ValueField
              label={words.item(label, index + 1)}
              isLabelHidden
              isReadOnly={isReadOnly}
              value={item}
              onChange={(next) => set(index, next)}
            />
          )}
        </fieldset>
      ))}
      <div>
        <Button aria-label={words.addTo(label)} disabled={isReadOnly} onClick={() => onChange([...items, {}])}>
          {words.add}
        </Button>
      </div>
    </fieldset>
  );
}

/** A key for each item, which it keeps when one before it is removed: so that no text moves to another item. */
function useItemKeys(count: number): [keys: number[], setKeys: (keys: number[]) => void] {
  const [known, setKeys] = useState<number[]>([]);
  const next = Math.max(-1, ...known) + 1;
  const further = Array.from({ length: Math.max(0, count - known.length) }, (_, index) => next + index);
  return [[...known.slice(0, count), ...further], setKeys];
}
