import { Fragment } from 'react';
import { Button } from '../controls/button';
import { CheckField, ChoiceField, TextField } from '../controls/field';
import styles from './connection-form.module.css';
import type { Given, ValueField } from './connection-fields';
import { words } from './words';

interface ValueFieldsProps {
  fields: readonly ValueField[];
  given: Given;
  onGive: (name: string, value: string) => void;
}

/** The fields of what a connection holds. Browsers are asked to keep none of it. */
export const ValueFields = ({ fields, given, onGive }: ValueFieldsProps) => (
  <>
    {fields.map((field) => (
      <Fragment key={field.name}>
        <Field
          field={field}
          value={given[field.name] ?? field.initial ?? ''}
          onGive={(value) => onGive(field.name, value)}
        />
        {field.description !== undefined && <p className={styles['hint']}>{field.description}</p>}
      </Fragment>
    ))}
  </>
);

interface FieldProps {
  field: ValueField;
  value: string;
  onGive: (value: string) => void;
}

function Field({ field: { label, kind, isRequired, choices = [] }, value, onGive }: FieldProps) {
  if (kind === 'check')
    return <CheckField label={label} isChecked={value === 'true'} onCheck={(isChecked) => onGive(String(isChecked))} />;
  if (kind === 'choice') {
    const isChosen = choices.some((choice) => choice.value === value);
    const all = isChosen ? choices : [{ value: '', label: words.choose }, ...choices];
    return <ChoiceField label={label} value={value} choices={all} onChoose={onGive} />;
  }
  return (
    <TextField
      label={label}
      required={isRequired}
      type={kind === 'secret' ? 'password' : 'text'}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      spellCheck={false}
      value={value}
      onChange={(event) => onGive(event.target.value)}
    />
  );
}

/** A value with a name that the person chooses. */
export interface Member {
  id: number;
  name: string;
  value: string;
}

interface MemberFieldsProps {
  members: readonly Member[];
  onChange: (members: readonly Member[]) => void;
}

/** Values with names of one's own. Each is hidden while it is typed, because it may be a secret. */
export function MemberFields({ members, onChange }: MemberFieldsProps) {
  const change = (id: number, part: Partial<Member>) =>
    onChange(members.map((member) => (member.id === id ? { ...member, ...part } : member)));
  const add = () => onChange([...members, { id: nextId(members), name: '', value: '' }]);
  return (
    <>
      {members.map(({ id, name, value }) => (
        <div key={id} className={styles['member']}>
          <TextField
            label={words.member}
            required
            autoComplete="off"
            value={name}
            onChange={(event) => change(id, { name: event.target.value })}
          />
          <TextField
            label={words.memberValue(name)}
            type="password"
            autoComplete="new-password"
            value={value}
            onChange={(event) => change(id, { value: event.target.value })}
          />
          <Button
            aria-label={words.removeMember(name)}
            title={words.removeMember(name)}
            onClick={() => onChange(members.filter((member) => member.id !== id))}
          >
            ✕
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={add}>{words.addMember}</Button>
      </div>
    </>
  );
}

const nextId = (members: readonly Member[]): number => Math.max(0, ...members.map(({ id }) => id)) + 1;

/** What was given, as an object. A later value of the same name counts. */
export const givenBy = (members: readonly Member[]): Given =>
  Object.fromEntries(members.map(({ name, value }) => [name, value]));
