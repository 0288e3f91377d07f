import type { Step } from '../step';

export const aStep = (name: string, more: Partial<Step> = {}): Step => ({
  name,
  displayName: name,
  type: 'CODE',
  valid: true,
  settings: {},
  ...more,
});

export const aChain = (...steps: Step[]): Step => steps.reduceRight((nextAction, step) => ({ ...step, nextAction }));
