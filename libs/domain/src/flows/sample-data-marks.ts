import { stepsOf, type FlowTrigger, type SampleDataMarks } from './flow-version';
import type { FlowChange } from './flow.repository';
import { mapSteps } from './map-steps';
import { namesOf } from './step-tree';

/** The steps with marks that say when their sample data was saved, by their names. Other marks of a step stay. */
export function withMarks(trigger: FlowTrigger, marks: ReadonlyMap<string, SampleDataMarks>): FlowTrigger {
  if (marks.size === 0) return trigger;
  return mapSteps(trigger, (step) => {
    const added = marks.get(step.name);
    if (!added || step.type === 'EMPTY') return step;
    return { ...step, settings: { ...step.settings, sampleData: { ...step.settings.sampleData, ...added } } };
  });
}

/**
 * The steps of another definition with the marks of the present one. Sample data belongs to the flow and not to a
 * version, so the marks that the steps bring along mean nothing.
 */
export function withMarksOf(present: FlowTrigger, other: FlowTrigger): FlowTrigger {
  const marks = new Map(Array.from(stepsOf(present), ({ name, settings }) => [name, settings['sampleData']]));
  return mapSteps(other, (step) => {
    const { sampleData: _stale, ...settings } = step.settings as { sampleData?: unknown };
    const sampleData = marks.get(step.name);
    return { ...step, settings: sampleData === undefined ? settings : { ...settings, sampleData } };
  });
}

/** Forgets the sample data of the steps that the flow does not have any more. */
export function forgettingGone(before: FlowTrigger, after: FlowTrigger): Pick<FlowChange, 'sampleData'> {
  const kept = namesOf(after);
  const stepNames = [...namesOf(before)].filter((name) => !kept.has(name));
  return stepNames.length === 0 ? {} : { sampleData: { kind: 'forget', stepNames } };
}
