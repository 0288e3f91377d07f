import { iterationPath, iterationsOf, pathOf, type StepResults } from './step-results';
import { timelineRows } from './timeline-rows';

/**
 * Where a step with this name ran: in the iterations that are shown, or else where it ran first. Null when the run did
 * not come to it.
 */
export function placeOfStep(steps: StepResults, name: string, shown: readonly string[]): string | null {
  const row = timelineRows(steps, shown).find((each) => each.kind === 'step' && each.name === name);
  return row?.path ?? firstPlace(steps, name, '');
}

function firstPlace(steps: StepResults, name: string, parent: string): string | null {
  for (const [each, result] of Object.entries(steps)) {
    const path = pathOf(parent, each);
    if (each === name) return path;
    for (const [index, inside] of iterationsOf(result).entries()) {
      const place = firstPlace(inside ?? {}, name, iterationPath(path, index));
      if (place !== null) return place;
    }
  }
  return null;
}
