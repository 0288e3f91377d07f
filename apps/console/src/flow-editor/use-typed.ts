import { useEffect, useRef, useState } from 'react';
import { noteTyping } from './typing';

const PAUSE_MS = 500;

/**
 * A value that a person types. It is committed when they pause, leave the field, the form or the page, so that not every
 * letter is a change of its own. What comes from elsewhere shows when nothing is typed.
 */
export function useTyped<T>(value: T, commit: (value: T) => void) {
  const [typed, setTyped] = useState<{ value: T } | null>(null);
  const waiting = useRef<{ value: T; timer: ReturnType<typeof setTimeout> } | null>(null);
  const latest = useRef(commit);
  useEffect(() => {
    latest.current = commit;
  });

  const flush = useRef(() => {
    const left = waiting.current;
    if (!left) return;
    clearTimeout(left.timer);
    waiting.current = null;
    setTyped(null);
    latest.current(left.value);
    noteTyping(waiting, null);
  }).current;
  useEffect(() => flush, [flush]);

  const type = (next: T) => {
    if (waiting.current) clearTimeout(waiting.current.timer);
    waiting.current = { value: next, timer: setTimeout(flush, PAUSE_MS) };
    setTyped({ value: next });
    noteTyping(waiting, flush);
  };
  return { value: typed ? typed.value : value, type, flush };
}
