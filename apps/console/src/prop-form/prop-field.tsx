import { useId, type ReactNode } from 'react';
import { CheckField, TextField } from '../controls/field';
import { ExpressionField } from '../expression-field/expression-field';
import { isoOfLocal, localText, momentOf } from './date-text';
import { DynamicField, Members } from './dynamic-field';
import { ExpressionSwitch } from './expression-switch';
import { JsonField } from './json-field';
import { ListField } from './list-field';
import { textOfValue } from './json-text';
import { ObjectField } from './object-field';
import { MultiSelectField, OptionField } from './option-fields';
import type { PieceProp, Values } from './options-context';
import styles from './prop-form.module.css';
import { useText } from './use-text';
import { ValueField } from './value-field';
import { words } from './words';

interface PropFieldProps {
  /** Under which a text is kept that cannot be saved yet. */
  id: string;
  name: string;
  prop: PieceProp;
  value: unknown;
  /** The values of all inputs beside it. */
  values: Values;
  isReadOnly: boolean;
  /** undefined: the input is left out. */
  onChange: (value: unknown) => void;
}

/** An input of a piece, in the field of its kind. Every field takes an expression as well. */
export function PropField(props: PropFieldProps) {
  const { prop, value, isReadOnly, onChange } = props;
  const label = prop.required ? `${prop.displayName} *` : prop.displayName;
  const description = prop.description ?? (prop.kind === 'file' ? words.fileSays : undefined);
  return (
    <div className={styles['prop']}>
      {TAKES_TEXT.has(prop.kind) && !prop.isSecret ? (
        <TextControl {...props} label={label} />
      ) : (
        <ExpressionSwitch {...{ label, value, isReadOnly, onChange }}>
          {(tools) => <Control {...props} {...{ label, tools }} />}
        </ExpressionSwitch>
      )}
      {description !== undefined && <p className={styles['quiet']}>{description}</p>}
    </div>
  );
}

/** The kinds whose field is one for expressions already. */
const TAKES_TEXT: ReadonlySet<string> = new Set(['text', 'file', 'any']);

interface ControlProps extends PropFieldProps {
  label: string;
  tools?: ReactNode;
}

function TextControl({ prop, label, value, isReadOnly, onChange }: ControlProps) {
  const placeholder = prop.defaultValue === undefined ? undefined : textOfValue(prop.defaultValue);
  const shared = { label, isReadOnly, ...(placeholder === undefined ? {} : { placeholder }) };
  if (prop.kind === 'any')
    return <ValueField {...shared} value={value} onChange={(next) => onChange(next === '' ? undefined : next)} />;
  return (
    <ExpressionField
      {...shared}
      isOneLine={prop.kind === 'file'}
      value={textOfValue(value)}
      onChange={(text) => onChange(text === '' ? undefined : text)}
    />
  );
}

function Control(props: ControlProps) {
  const { prop, value, values, onChange, ...rest } = props;
  const { id, name, label, tools, isReadOnly } = rest;
  switch (prop.kind) {
    case 'number':
      return <NumberControl {...props} />;
    case 'checkbox':
      return (
        <CheckField
          {...{ label, tools }}
          isChecked={(value ?? prop.defaultValue) === true || value === 'true'}
          isDisabled={isReadOnly}
          onCheck={onChange}
        />
      );
    case 'dropdown':
      return <OptionField {...props} tools={tools} />;
    case 'multi_select':
      return <MultiSelectField {...props} tools={tools} />;
    case 'date':
      return <DateControl {...props} />;
    case 'object': {
      const members = membersOf(prop, values);
      if (!members) return <ObjectField {...rest} value={value} onChange={onChange} />;
      return <Members {...{ id, label, tools, isReadOnly, value, onChange }} props={members} />;
    }
    case 'array':
      return (
        <ListField
          {...rest}
          {...(prop.members && { members: prop.members })}
          isSecret={prop.isSecret === true}
          {...{ value, onChange }}
        />
      );
    case 'dynamic':
      return <DynamicField {...{ id, name, label, value, values, isReadOnly, tools, onChange }} />;
    case 'text':
      return <SecretControl {...props} />;
    default:
      return <JsonField {...{ id, label, tools, value, isReadOnly, onChange }} shape="any" />;
  }
}

/** The members of an object that are known, always or by the value of another input. */
function membersOf({ members, membersBy }: PieceProp, values: Values): Readonly<Record<string, PieceProp>> | null {
  if (members) return members;
  const chosen = membersBy && textOfValue(values[membersBy.input]);
  return chosen !== undefined && Object.hasOwn(membersBy!.members, chosen)
    ? (membersBy!.members[chosen] ?? null)
    : null;
}

const NUMBER = { textOf: textOfValue, valueOf: numberOf };

function NumberControl({ prop, label, tools, value, isReadOnly, onChange }: ControlProps) {
  const { text, type } = useText(value, NUMBER, onChange);
  return (
    <TextField
      {...{ label, tools }}
      inputMode="decimal"
      readOnly={isReadOnly}
      placeholder={textOfValue(prop.defaultValue)}
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  );
}

/** A number where the text is exactly one; else the text, of which the service says what it is. */
function numberOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text.trim() ? number : text;
}

const SecretControl = ({ label, tools, value, isReadOnly, onChange }: ControlProps) => (
  <TextField
    {...{ label, tools }}
    type="password"
    autoComplete="off"
    readOnly={isReadOnly}
    value={textOfValue(value)}
    onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
  />
);

/** A moment in the person's own time zone. A text that is none is left to be mended. */
function DateControl({ label, tools, value, isReadOnly, onChange }: ControlProps) {
  const id = useId();
  const moment = momentOf(value);
  if (!moment && value !== undefined && value !== '')
    return (
      <TextField
        {...{ label, tools }}
        readOnly={isReadOnly}
        value={textOfValue(value)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      />
    );
  return (
    <div>
      <TextField
        {...{ label, tools }}
        type="datetime-local"
        step="1"
        readOnly={isReadOnly}
        aria-describedby={`${id}-utc`}
        value={moment ? localText(moment) : ''}
        onChange={(event) => onChange(isoOfLocal(event.target.value))}
      />
      <p id={`${id}-utc`} className={styles['quiet']}>
        {moment && words.utc(moment.toISOString())}
      </p>
    </div>
  );
}
