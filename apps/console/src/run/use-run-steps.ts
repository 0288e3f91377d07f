import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { isInParts } from './run-parts';
import { runPartsQuery, type RunDetail } from './run-queries';

/** The run with its steps, or with as many of them as are shown when these places are chosen. */
export function useRunSteps(run: RunDetail, chosen: readonly string[]) {
  const parts = useQuery({
    ...runPartsQuery(run, chosen),
    enabled: isInParts(run),
    placeholderData: keepPreviousData,
  });
  if (!isInParts(run)) return { run, error: null, isReading: false };
  return { run: { ...run, steps: parts.data }, error: parts.error, isReading: parts.isPending };
}
