import { aFlowVersion } from '../testing/a-flow-version';
import { aFlowOfAllKinds } from '../testing/a-flow-of-all-kinds';
import { exportTemplate } from './export-template';
import type { FlowVersion } from './flow-version';
import { parseDefinition } from './import/read-definition';
import { mapSteps } from './map-steps';
import { aRandomTrigger } from './testing/a-random-trigger';

const now = new Date('2026-02-03T04:05:06.789Z');
const text = (version: FlowVersion): string => JSON.stringify(exportTemplate(version, now));
/** The version after an import of its export, checked as the original was. */
const imported = (exported: string): FlowVersion => {
  const definition = parseDefinition(JSON.parse(exported), '/request');
  return aFlowVersion([], {
    ...definition,
    trigger: mapSteps(definition.trigger, (step) => ({ ...step, valid: true })),
  });
};

describe('exportTemplate', () => {
  it('gives the definition with a name and a time', () => {
    const { displayName, trigger, notes } = aFlowOfAllKinds(20);
    expect(exportTemplate(aFlowOfAllKinds(20), now)).toEqual({
      name: displayName,
      description: '',
      template: { displayName, trigger, schemaVersion: '20', notes },
      created: now,
    });
  });

  it('leaves sample data out', () => {
    const { trigger, ...version } = aFlowOfAllKinds(20);
    const withSamples = mapSteps(trigger, (step) => ({ ...step, settings: { ...step.settings, sampleData: 1 } }));
    expect(text({ ...version, trigger: withSamples })).toBe(text({ ...version, trigger }));
  });

  it('writes the members of a step in one order', () => {
    const { trigger, ...version } = aFlowOfAllKinds(20);
    const turned = mapSteps(trigger, (step) => Object.fromEntries(Object.entries(step).reverse()) as typeof step);
    expect(text({ ...version, trigger: turned })).toBe(text({ ...version, trigger }));
  });

  it.each([0, 1, 10, 57, 500, 999])('gives what an import makes the same flow of: all kinds, %d actions', (steps) => {
    const version = aFlowOfAllKinds(steps);
    const { displayName, trigger, notes } = imported(text(version));
    expect({ displayName, trigger, notes }).toEqual({
      displayName: version.displayName,
      trigger: version.trigger,
      notes: version.notes,
    });
    expect(text(imported(text(version)))).toBe(text(version));
  });

  it.each([...Array(200).keys()])('gives what an import makes the same flow of: random steps %d', (seed) => {
    const version = aFlowVersion([], { trigger: aRandomTrigger(seed) });
    expect(imported(text(version)).trigger).toEqual(version.trigger);
    expect(text(imported(text(version)))).toBe(text(version));
  });
});
