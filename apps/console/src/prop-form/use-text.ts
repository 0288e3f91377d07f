import { useState } from 'react';
import { jsonText } from './json-text';

interface Written<T> {
  textOf: (value: T) => string;
  valueOf: (text: string) => T;
}

/**
 * The text of a field whose value is no text. What was typed stays as it is while it means the value, so that `[1,2]` is
 * not written anew under the caret.
 */
export function useText<T>(value: T, { textOf, valueOf }: Written<T>, onChange: (value: T) => void) {
  const [typed, setTyped] = useState<{ text: string; meaning: string } | null>(null);
  const text = typed?.meaning === jsonText(value) ? typed.text : textOf(value);
  const type = (next: string) => {
    const meant = valueOf(next);
    setTyped({ text: next, meaning: jsonText(meant) });
    onChange(meant);
  };
  return { text, type };
}
