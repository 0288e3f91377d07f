import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSurroundings, type Evaluation } from './expression-context';
import { knownValue } from './known-value';

const PAUSE_MS = 400;

export type Preview =
  | { kind: 'none' }
  | { kind: 'waits' }
  | ({ kind: 'evaluated' } & Evaluation)
  | { kind: 'failed'; error: Error };

/**
 * What a text with expressions gives for the sample data. Plain paths are read here, at once; everything else is asked of
 * the service when the person pauses.
 */
export function usePreview(text: string): Preview {
  const { key, samples, evaluate } = useSurroundings();
  const settled = useSettled(text);
  const known = knownValue(text, samples);
  const isAsked = known.kind === 'ask' && evaluate !== null && settled === text;
  const { data, error } = useQuery({
    queryKey: ['evaluation', key, text],
    queryFn: async ({ signal }) => (await evaluate?.([text], signal))?.[0] ?? null,
    enabled: isAsked,
    staleTime: Infinity,
    retry: false,
  });
  if (known.kind === 'value') return { ...known, kind: 'evaluated' };
  if (known.kind === 'plain' || evaluate === null) return { kind: 'none' };
  if (error && isAsked) return { kind: 'failed', error };
  return data && isAsked ? { kind: 'evaluated', ...data } : { kind: 'waits' };
}

/** The text as it was when the person last paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
