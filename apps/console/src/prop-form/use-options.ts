import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { jsonText } from './json-text';
import { useOptionsSource, type PieceOptions, type Values } from './options-context';

const PAUSE_MS = 500;

/**
 * The options of an input, or the inputs that it stands for. They are asked for again when another input has changed, and
 * the person pauses. What is shown stays until the answer is there.
 */
export function useOptions(propName: string, values: Values, isAsked: boolean) {
  const source = useOptionsSource();
  const { [propName]: _own, ...others } = values;
  const asked = useSettled(jsonText(others));
  return useQuery<PieceOptions>({
    queryKey: ['piece-options', source?.key, propName, asked],
    queryFn: ({ signal }) => source!.ask(propName, JSON.parse(asked) as Values, signal),
    enabled: isAsked && source !== null,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
