import { codeStep, loop } from '../../testing/a-flow-version';
import { aFlowWithSteps, manySteps } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import { stepsOf, type FlowVersion } from '../flow-version';

const flow = aFlowWithSteps([
  codeStep('first'),
  loop('each', '{{ [1] }}', [codeStep('inner', {}, undefined, { skip: true })]),
]);
const skippedIn = ({ trigger }: FlowVersion): string[] =>
  [...stepsOf(trigger)].filter((step) => 'skip' in step && step.skip).map(({ name }) => name);

describe('SET_SKIP_ACTION', () => {
  it.each<[object, string[]]>([
    [{ names: ['first'], skip: true }, ['first', 'inner']],
    [{ names: ['first', 'each', 'first'], skip: true }, ['first', 'each', 'inner']],
    [{ names: ['inner'], skip: false }, []],
    [{ names: ['inner'], skip: true }, ['inner']],
  ])('%j leaves %j skipped', async (request, skipped) => {
    const { version } = await applyOperation(flow, 'SET_SKIP_ACTION', request);
    expect(skippedIn(version)).toEqual(skipped);
  });

  it('skips every step of the longest flow', async () => {
    const steps = manySteps(999);
    const request = { names: steps.map(({ name }) => name), skip: true };
    const { version } = await applyOperation(aFlowWithSteps(steps), 'SET_SKIP_ACTION', request);
    expect(skippedIn(version)).toEqual(request.names);
  });

  it.each<[string, string[], string]>([
    ['the trigger', ['trigger'], 'trigger'],
    ['an unknown step', ['first', 'nope'], '"nope"'],
  ])('refuses to skip %s', async (_what, names, part) => {
    expect(await misfitOf(flow, 'SET_SKIP_ACTION', { names, skip: true })).toContain(part);
  });

  it.each<[object, string]>([
    [{ names: ['first'] }, '/request/skip'],
    [{ names: ['first'], skip: 'yes' }, '/request/skip'],
    [{ skip: true }, '/request/names'],
    [{ names: [], skip: true }, '/request/names'],
    [{ names: [{}], skip: true }, '/request/names/0'],
    [{ names: ['first'], skip: true, all: true }, '/request/all'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('SET_SKIP_ACTION', request)).toEqual([path]);
  });
});
