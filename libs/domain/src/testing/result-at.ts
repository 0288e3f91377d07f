import type { StepResult, StepResults } from '../journal/step-results';

/** The result of the step at a path, such as `each[0].step`; undefined when the run shows none. */
export function resultAt(results: StepResults, path: string): StepResult | undefined {
  let here: StepResults | undefined = results;
  const names = path.split('.');
  const last = names.pop() ?? '';
  for (const part of names) {
    const [, loopName = '', index = ''] = /^(\w+)\[(\d+)\]$/.exec(part) ?? [];
    const output = here?.[loopName]?.output as { iterations?: StepResults[] } | undefined;
    here = output?.iterations?.[Number(index)];
  }
  return here?.[last];
}
