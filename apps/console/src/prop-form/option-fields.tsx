import type { ReactNode } from 'react';
import { CheckField, ChoiceField } from '../controls/field';
import { Problem } from '../controls/problem';
import { jsonText, textOfValue } from './json-text';
import type { PieceProp, Values } from './options-context';
import styles from './prop-form.module.css';
import { useOptions } from './use-options';
import { words } from './words';

type Options = NonNullable<PieceProp['options']>;

interface OptionFieldProps {
  name: string;
  prop: PieceProp;
  label: string;
  value: unknown;
  /** The values of all inputs, on which the options may depend. */
  values: Values;
  isReadOnly: boolean;
  tools: ReactNode;
  onChange: (value: unknown) => void;
}

const isSame = (one: unknown, other: unknown): boolean => jsonText(one) === jsonText(other);

/** One of the options. A value that is none of them stays until another is chosen. */
export function OptionField(props: OptionFieldProps) {
  const { label, prop, value, isReadOnly, tools, onChange } = props;
  const { options, says } = useOptionList(props);
  const known = options.findIndex((option) => isSame(option.value, value));
  const isOther = known < 0 && value !== undefined && value !== '';
  const preset = options.find((option) => isSame(option.value, prop.defaultValue));
  const choices = [
    { value: '', label: isOther ? textOfValue(value) : preset ? words.byDefault(preset.label) : words.notSet },
    ...options.map((option, index) => ({ value: String(index), label: option.label })),
  ];
  return (
    <div>
      <ChoiceField
        {...{ label, tools, choices }}
        value={known < 0 ? '' : String(known)}
        isDisabled={isReadOnly}
        onChoose={(index) => onChange(index === '' ? undefined : options[Number(index)]?.value)}
      />
      {says}
    </div>
  );
}

/** Any of the options. Values that are none of them stay, and can be taken out. */
export function MultiSelectField(props: OptionFieldProps) {
  const { label, value, isReadOnly, tools, onChange } = props;
  const { options, says } = useOptionList(props);
  const chosen = Array.isArray(value) ? (value as unknown[]) : [];
  const others = chosen.filter((each) => !options.some((option) => isSame(option.value, each)));
  const all = [...options, ...others.map((other) => ({ value: other, label: textOfValue(other) }))];
  const set = (option: unknown, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, option] : chosen.filter((each) => !isSame(each, option)));
  return (
    <fieldset className={styles['group']}>
      <legend>{label}</legend>
      <div className={styles['head']}>{tools}</div>
      {all.map((option) => (
        <CheckField
          key={jsonText(option.value)}
          label={option.label}
          isChecked={chosen.some((each) => isSame(each, option.value))}
          isDisabled={isReadOnly}
          onCheck={(isChosen) => set(option.value, isChosen)}
        />
      ))}
      {says}
    </fieldset>
  );
}

/** The options as they are now, and what is to be said of them. */
function useOptionList({ name, prop, values }: OptionFieldProps): { options: Options; says: ReactNode } {
  const asked = useOptions(name, values, prop.dependsOnOthers === true);
  if (prop.options) return { options: prop.options, says: null };
  const options = asked.data?.options ?? [];
  if (asked.error) return { options, says: <Problem error={asked.error} onTryAgain={() => void asked.refetch()} /> };
  if (asked.isLoading) return { options, says: <p className={styles['quiet']}>{words.loadingOptions}</p> };
  const missing = asked.data?.placeholder ?? words.noOptions;
  return { options, says: options.length === 0 && <p className={styles['quiet']}>{missing}</p> };
}
