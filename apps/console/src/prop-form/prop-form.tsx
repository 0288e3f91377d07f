import type { PieceProp, Values } from './options-context';
import { PropField } from './prop-field';

interface PropFormProps {
  /** Under which texts are kept that cannot be saved yet. */
  id: string;
  props: Readonly<Record<string, PieceProp>>;
  values: Values;
  isReadOnly: boolean;
  onChange: (values: Values) => void;
}

/** The inputs that a piece asks for. */
export const PropForm = ({ id, props, values, isReadOnly, onChange }: PropFormProps) =>
  Object.entries(props).map(([name, prop]) => (
    <PropField
      key={name}
      id={`${id}/${name}`}
      value={Object.hasOwn(values, name) ? values[name] : undefined}
      onChange={(value) => onChange(withValue(values, name, value))}
      {...{ name, prop, values, isReadOnly }}
    />
  ));

/** The values with another one; undefined leaves it out, so that the default of the piece counts. */
export const withValue = (values: Values, name: string, value: unknown): Values =>
  Object.fromEntries(Object.entries({ ...values, [name]: value }).filter(([, each]) => each !== undefined));
