import type { ReactNode } from 'react';
import { Problem } from '../controls/problem';
import { OptionsContext, type PieceProp, type Values } from './options-context';
import { PropForm } from './prop-form';
import styles from './prop-form.module.css';
import { isObject } from './rows';
import { useOptions } from './use-options';
import { words } from './words';

interface DynamicFieldProps {
  id: string;
  name: string;
  label: string;
  value: unknown;
  values: Values;
  isReadOnly: boolean;
  tools: ReactNode;
  onChange: (value: unknown) => void;
}

/** An input that stands for further ones, which depend on the others. */
export function DynamicField({ name, values, ...rest }: DynamicFieldProps) {
  const { data, error, isLoading, refetch } = useOptions(name, values, true);
  const says = error ? (
    <Problem error={error} onTryAgain={() => void refetch()} />
  ) : isLoading ? (
    <p className={styles['quiet']}>{words.loadingInputs}</p>
  ) : null;
  return <Members props={data?.props ?? {}} says={says} {...rest} />;
}

interface MembersProps extends Omit<DynamicFieldProps, 'name' | 'values'> {
  props: Readonly<Record<string, PieceProp>>;
  says?: ReactNode;
}

/** The members of an object, each with the field of its kind. Members that are not known stay as they are. */
export function Members({ id, label, props, value, isReadOnly, tools, says = null, onChange }: MembersProps) {
  const isEmpty = Object.keys(props).length === 0;
  return (
    <fieldset className={styles['group']}>
      <legend>{label}</legend>
      <div className={styles['head']}>{tools}</div>
      {says}
      {isEmpty && says === null && <p className={styles['quiet']}>{words.noInputs}</p>}
      {/* Only inputs of the piece itself can be asked for, not the members of one. */}
      <OptionsContext value={null}>
        <PropForm id={id} props={props} values={isObject(value) ? value : {}} {...{ isReadOnly, onChange }} />
      </OptionsContext>
    </fieldset>
  );
}
