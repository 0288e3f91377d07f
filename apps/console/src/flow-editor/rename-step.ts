import { renameStepReferences } from '@millrace/domain/browser';
import type { Step } from '../flow-picture/step';
import type { Definition } from './definition';
import type { Operation } from './operation';
import { mapSteps } from './step-tree';

/** What the service takes as the name of a step in expressions. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
/** JavaScript has members of these names. */
const RESERVED = ['__proto__', 'constructor', 'prototype'];

export const isStepName = (name: string): boolean => NAME.test(name) && !RESERVED.includes(name);

/**
 * Gives a step another name in expressions, and writes those that use it anew. The service has no operation for that: the
 * whole definition is replaced, at once.
 */
export function renaming(
  { displayName, trigger, notes }: Definition,
  from: string,
  to: string,
  schemaVersion: string,
): Operation {
  const renames = new Map([[from, to]]);
  const renamed = mapSteps(trigger, (step) => ({
    ...step,
    name: step.name === from ? to : step.name,
    settings: withReferences(step, renames),
  }));
  return {
    type: 'IMPORT_FLOW',
    request: { displayName, trigger: renamed, notes, schemaVersion, keepSampleData: true },
  };
}

/** Settings in which the service resolves expressions. Code is none. */
function withReferences({ settings }: Step, renames: ReadonlyMap<string, string>): Step['settings'] {
  const resolved = Object.entries(settings).filter(([name]) => name !== 'sourceCode' && name !== 'sampleData');
  return { ...settings, ...renameStepReferences(Object.fromEntries(resolved), renames) };
}
