import { useState, type ReactNode } from 'react';
import { Button } from '../controls/button';
import { ExpressionField } from '../expression-field/expression-field';
import { textOfValue } from './json-text';
import styles from './prop-form.module.css';
import { words } from './words';

interface ExpressionSwitchProps {
  label: string;
  value: unknown;
  isReadOnly: boolean;
  onChange: (value: unknown) => void;
  /** Whether the value is an expression that the field for values cannot show. */
  isExpression?: (value: unknown) => boolean;
  /** The field for a value, with the switch to put beside its label. */
  children: (tools: ReactNode) => ReactNode;
}

/** A field that takes a value in a form of its own, or an expression. */
export function ExpressionSwitch(props: ExpressionSwitchProps) {
  const { label, value, isReadOnly, onChange, isExpression: isOne = hasToken, children } = props;
  const [isChosen, setChosen] = useState(false);
  const hasExpression = isOne(value);
  const isExpression = hasExpression || isChosen;
  const name = isExpression ? words.useValue(label) : words.useExpression(label);
  const toggle = () => {
    setChosen(!isExpression);
    if (hasExpression) onChange(undefined);
  };
  const tools = (
    <Button className={styles['switch']} aria-label={name} title={name} disabled={isReadOnly} onClick={toggle}>
      <span aria-hidden>{isExpression ? '▤' : '{ }'}</span>
    </Button>
  );
  if (!isExpression) return children(tools);
  return (
    <ExpressionField
      value={textOfValue(value)}
      onChange={(text) => onChange(text === '' ? undefined : text)}
      {...{ label, isReadOnly, tools }}
    />
  );
}

const hasToken = (value: unknown): boolean => typeof value === 'string' && value.includes('{{');
