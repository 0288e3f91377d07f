import { useState, type ReactNode } from 'react';
import { ExpressionField } from '../expression-field/expression-field';
import { jsonText, readJson, type JsonShape } from './json-text';
import { unfinished } from './unfinished';

interface JsonFieldProps {
  /** Under which a text is kept that is not JSON yet. */
  id: string;
  label: string;
  shape: JsonShape;
  value: unknown;
  isReadOnly: boolean;
  tools?: ReactNode;
  onChange: (value: unknown) => void;
}

/** A value as JSON. A text that is not JSON stays in the field, also when the step is left, and says why. */
export function JsonField({ id, label, shape, value, isReadOnly, tools, onChange }: JsonFieldProps) {
  const [typed, setTyped] = useState(() => {
    const text = unfinished.get(id);
    return text === undefined ? null : { text, meaning: null as string | null };
  });
  // What was typed stays while it means the value, or nothing yet.
  const isKept = typed !== null && (typed.meaning === null || typed.meaning === jsonText(value));
  const text = isKept ? typed.text : jsonText(value);
  const type = (next: string) => {
    const read = readJson(next, shape);
    setTyped({ text: next, meaning: read.problem === null ? jsonText(read.value) : null });
    if (read.problem === null) {
      unfinished.delete(id);
      onChange(read.value);
    } else unfinished.set(id, next);
  };
  const { problem } = readJson(text, shape);
  return <ExpressionField language="json" value={text} onChange={type} {...{ label, isReadOnly, tools, problem }} />;
}
