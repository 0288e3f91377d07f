import type { Schemas } from '../api/client';
import { CheckField, ChoiceField, TextAreaField, TextField } from '../controls/field';
import styles from './flow-editor.module.css';
import { JsonField } from './json-field';
import { textOfValue, valueOfText } from './json-text';
import { words } from './words';

type PieceProp = Schemas['PieceProp'];

interface PropFieldProps {
  /** Under which a text is kept that cannot be saved yet. */
  id: string;
  prop: PieceProp;
  value: unknown;
  /** undefined: the input is left out. */
  onChange: (value: unknown) => void;
}

/** An input of a piece. Every field takes an expression as well. */
export function PropField({ id, prop, value, onChange }: PropFieldProps) {
  return (
    <div>
      <Control id={id} prop={prop} value={value} onChange={onChange} />
      {prop.description && <p className={styles['quiet']}>{prop.description}</p>}
    </div>
  );
}

function Control({ id, prop, value, onChange }: PropFieldProps) {
  const label = prop.required ? `${prop.displayName} *` : prop.displayName;
  const current = value === undefined ? prop.defaultValue : value;
  const setText = (text: string) => onChange(text === '' ? undefined : text);
  switch (prop.kind) {
    case 'text':
    case 'date':
      return prop.isSecret ? (
        <TextField
          label={label}
          type="password"
          autoComplete="off"
          value={textOfValue(current)}
          onChange={(e) => setText(e.target.value)}
        />
      ) : (
        <TextAreaField
          label={label}
          rows={linesOf(current)}
          value={textOfValue(current)}
          onChange={(e) => setText(e.target.value)}
        />
      );
    case 'number':
      return (
        <TextField
          label={label}
          inputMode="decimal"
          value={textOfValue(current)}
          onChange={(e) => onChange(numberOf(e.target.value))}
        />
      );
    case 'checkbox':
      if (typeof current === 'string') break;
      return <CheckField label={label} isChecked={current === true} onCheck={onChange} />;
    case 'dropdown':
      if (!prop.options) break;
      return <OptionField label={label} options={prop.options} value={current} onChange={onChange} />;
    case 'object':
      return <JsonField id={id} label={label} shape="object" value={current} onChange={onChange} />;
    case 'array':
    case 'json':
    case 'multi_select':
    case 'dynamic':
      return <JsonField id={id} label={label} shape="any" value={current} onChange={onChange} />;
  }
  return (
    <TextAreaField
      label={label}
      rows={linesOf(current)}
      value={textOfValue(current)}
      onChange={(e) => onChange(e.target.value === '' ? undefined : valueOfText(e.target.value))}
    />
  );
}

interface OptionFieldProps {
  label: string;
  options: NonNullable<PieceProp['options']>;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** One of the options. A value that is none of them, such as an expression, stays until another is chosen. */
function OptionField({ label, options, value, onChange }: OptionFieldProps) {
  const known = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
  const isOther = known < 0 && value !== undefined;
  const choices = [
    { value: '', label: isOther ? textOfValue(value) : words.notSet },
    ...options.map((option, index) => ({ value: String(index), label: option.label })),
  ];
  return (
    <ChoiceField
      label={label}
      value={known < 0 ? '' : String(known)}
      choices={choices}
      onChoose={(index) => onChange(index === '' ? undefined : options[Number(index)]?.value)}
    />
  );
}

/** A number where the text is one; else the text, which may be an expression. */
function numberOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text.trim() ? number : text;
}

const MOST_LINES = 8;
const linesOf = (value: unknown): number => Math.min(MOST_LINES, textOfValue(value).split('\n').length);
