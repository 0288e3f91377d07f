import type { Schemas } from '../api/client';
import { iterationPath, placeOf, type StepResult, type StepResults } from './step-results';
import { chosenIteration } from './timeline-rows';

// The steps of a run that is too large to be read at once. What is read of it has the shape of the whole, so that the
// page shows both in the same way: steps have no data, and of each loop only the iterations are there that are looked
// at, and the first that failed.

export type StepSummary = Schemas['StepSummary'];

/** Whether the steps of the run are read in parts. */
export const isInParts = ({ stepsBytes }: Pick<Schemas['FlowRunDetail'], 'stepsBytes'>): boolean =>
  stepsBytes !== undefined;

/** Reads the steps at a place, such as `loop[2]`. */
export type ReadPlace = (place: string) => Promise<readonly StepSummary[]>;

/** Reads as much of a run as is shown when these places are chosen. */
export async function readParts(chosen: readonly string[], read: ReadPlace, place = ''): Promise<StepResults> {
  const summaries = await read(place);
  const results = summaries.map(async (summary) => {
    const result = await resultOf(summary, (inside) => readParts(chosen, read, inside), chosen);
    return [placeOf(summary.path).name, result] as const;
  });
  return Object.fromEntries(await Promise.all(results));
}

async function resultOf(
  { path, type, iterations: counts, ...summary }: StepSummary,
  readInside: (place: string) => Promise<StepResults>,
  chosen: readonly string[],
): Promise<StepResult> {
  const result = { ...summary, type: type as StepResult['type'], output: null };
  if (!counts) return result;
  const iterations: (StepResults | null)[] = Array.from({ length: counts.count }, () => null);
  const reading = shownIterations(path, counts, chosen).map(async (index) => {
    iterations[index] = await readInside(iterationPath(path, index));
  });
  await Promise.all(reading);
  return { ...result, output: { iterations } };
}

function shownIterations(
  loop: string,
  { count, firstFailed }: Schemas['IterationCounts'],
  chosen: readonly string[],
): number[] {
  if (count === 0) return [];
  const shown = Math.min(chosenIteration(loop, chosen) ?? firstFailed ?? 0, count - 1);
  return [...new Set([shown, ...(firstFailed === null ? [] : [firstFailed])])];
}
