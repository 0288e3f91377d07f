import { codeStep, loop, webhookTrigger } from '../../testing/a-flow-version';
import { aFlowWithSteps, outlineOf } from '../testing/a-flow-with-steps';
import { applyOperation } from '../testing/an-operation-context';
import { malformedPathsOf, misfitOf } from '../testing/refused-operations';
import { parseFlowOperation } from './flow-operation';

const sampleData = { outputSavedAt: '2026-01-01T00:00:00.000Z' };
const { nextAction: _nextAction, ...hook } = webhookTrigger([], { authType: 'none' });
const flow = aFlowWithSteps([codeStep('first'), loop('each', '{{ [1] }}', [codeStep('inner')])]);
const sampled = aFlowWithSteps([], { trigger: { ...hook, settings: { ...hook.settings, sampleData } } });
const everyHour = { ...hook.settings, pieceName: 'schedule', triggerName: 'every_hour', input: {} };

describe('UPDATE_TRIGGER', () => {
  it('replaces the trigger and keeps the steps after it', async () => {
    const request = { ...hook, displayName: 'Hourly', settings: everyHour };
    const { version } = await applyOperation(flow, 'UPDATE_TRIGGER', request);
    expect(version.trigger).toMatchObject({ type: 'PIECE_TRIGGER', displayName: 'Hourly', settings: everyHour });
    expect(outlineOf(version.trigger)).toBe('trigger first each[inner]');
  });

  it.each([[codeStep('other')], [{ type: 'MAGIC' }], [null]])(
    'takes no step from the request: %j',
    async (nextAction) => {
      const { version } = await applyOperation(flow, 'UPDATE_TRIGGER', { ...hook, nextAction });
      expect(outlineOf(version.trigger)).toBe('trigger first each[inner]');
    },
  );

  it('makes the flow one without a trigger', async () => {
    const { version } = await applyOperation(flow, 'UPDATE_TRIGGER', { type: 'EMPTY', name: 'trigger', settings: {} });
    expect(version.trigger).toMatchObject({ type: 'EMPTY', settings: {} });
    expect(outlineOf(version.trigger)).toBe('trigger first each[inner]');
  });

  it('renames the trigger, and keeps its name when none is given', async () => {
    const { version, flow: changed } = await applyOperation(flow, 'UPDATE_TRIGGER', { ...hook, name: 'hook' });
    expect(outlineOf(version.trigger)).toBe('hook first each[inner]');
    const nameless = { ...hook, name: undefined };
    const again = await applyOperation({ ...changed, version }, 'UPDATE_TRIGGER', nameless);
    expect(again.version.trigger.name).toBe('hook');
  });

  it('refuses a name that a step has', async () => {
    expect(await misfitOf(flow, 'UPDATE_TRIGGER', { ...hook, name: 'inner' })).toContain('inner');
  });

  it('keeps the sample data of the same trigger, whatever the request says of it', async () => {
    const settings = { ...hook.settings, input: { authType: 'basic' }, sampleData: { outputSavedAt: 'x' } };
    const change = await applyOperation(sampled, 'UPDATE_TRIGGER', { ...hook, settings });
    expect(change.version.trigger.settings).toEqual({ ...settings, sampleData });
    expect(change.sampleData).toBeUndefined();
  });

  it.each<[string, object]>([
    ['another piece', { settings: { ...hook.settings, pieceName: 'forms' } }],
    ['another trigger of the piece', { settings: { ...hook.settings, triggerName: 'other' } }],
    ['another name', { name: 'hook' }],
    ['none', { type: 'EMPTY', settings: {} }],
  ])('forgets the sample data when the trigger becomes %s', async (_what, change) => {
    const { version, sampleData: forgotten } = await applyOperation(sampled, 'UPDATE_TRIGGER', { ...hook, ...change });
    expect(version.trigger.settings).not.toHaveProperty('sampleData');
    expect(forgotten).toEqual({ kind: 'forget', stepNames: ['trigger'] });
  });

  it('brings the trigger alone', () => {
    const request = { ...hook, nextAction: codeStep('other') };
    const { brings } = parseFlowOperation({ type: 'UPDATE_TRIGGER', request });
    expect(outlineOf(brings)).toBe('trigger');
  });

  it.each<[object, string]>([
    [{}, '/request/type'],
    [codeStep('first'), '/request/type'],
    [{ ...hook, name: 'not a name' }, '/request/name'],
    [{ ...hook, settings: { pieceName: 1 } }, '/request/settings/pieceName'],
    [{ ...hook, skip: true }, '/request/skip'],
  ])('refuses %j and says where', (request, path) => {
    expect(malformedPathsOf('UPDATE_TRIGGER', request)).toContain(path);
  });
});
