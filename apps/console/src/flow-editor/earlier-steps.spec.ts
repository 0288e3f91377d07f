import { aChain, aStep } from '../flow-picture/testing/a-step';
import { earlierSteps } from './earlier-steps';
import { aTrigger } from './testing/a-flow';

const namesBefore = (name: string, trigger = aTrigger()) => earlierSteps(trigger, name).map((step) => step.name);

describe('earlierSteps', () => {
  it.each<[string, string[]]>([
    ['trigger', []],
    ['size', ['trigger']],
    ['note', ['trigger', 'size', 'ask']],
    ['each', ['trigger', 'size', 'ask', 'note']],
    ['tell', ['trigger', 'size', 'ask', 'note', 'each']],
    ['done', ['trigger', 'size', 'ask', 'note', 'each']],
    ['unknown', []],
  ])('of %s are %j', (name, expected) => {
    expect(namesBefore(name)).toEqual(expected);
  });

  it('are none of another branch', () => {
    const router = aStep('size', { type: 'ROUTER', children: [aStep('left'), aStep('right')] });
    expect(namesBefore('right', aChain(aStep('trigger'), router))).toEqual(['trigger', 'size']);
  });
});
