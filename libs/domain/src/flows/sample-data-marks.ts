import type { FlowTrigger, SampleDataMarks } from './flow-version';
import { mapSteps } from './map-steps';

/** The steps with marks that say when their sample data was saved, by their names. Other marks of a step stay. */
export function withMarks(trigger: FlowTrigger, marks: ReadonlyMap<string, SampleDataMarks>): FlowTrigger {
  if (marks.size === 0) return trigger;
  return mapSteps(trigger, (step) => {
    const added = marks.get(step.name);
    if (!added || step.type === 'EMPTY') return step;
    return { ...step, settings: { ...step.settings, sampleData: { ...step.settings.sampleData, ...added } } };
  });
}
