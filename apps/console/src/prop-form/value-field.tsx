import { ExpressionField } from '../expression-field/expression-field';
import { textOfValue, valueOfText } from './json-text';
import { useText } from './use-text';

interface ValueFieldProps {
  label: string;
  isLabelHidden?: boolean;
  value: unknown;
  isReadOnly: boolean;
  placeholder?: string;
  onChange: (value: unknown) => void;
}

const ANY = { textOf: textOfValue, valueOf: valueOfText };

/** Any value: a list or an object is written as JSON, everything else is text with expressions. */
export function ValueField({ value, onChange, ...rest }: ValueFieldProps) {
  const { text, type } = useText(value, ANY, onChange);
  return <ExpressionField value={text} onChange={type} {...rest} />;
}
