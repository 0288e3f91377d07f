import { stepResults, type TriggerResult } from '../journal/step-results';
import { aRecordedStep } from '../testing/a-run';
import { codeStep, loop, webhookTrigger } from '../testing/a-flow-version';
import type { FlowTrigger } from './flow-version';
import { samplesOfRun } from './samples-of-run';

const OF_TRIGGER: TriggerResult = { type: 'WEBHOOK', output: { body: 1 }, duration: 0 };
const trigger = webhookTrigger([codeStep('first'), loop('each', '{{first}}', [codeStep('inner'), codeStep('other')])]);

const samplesOf = (records: Parameters<typeof stepResults>[0], of: FlowTrigger = trigger) =>
  samplesOfRun(OF_TRIGGER, stepResults(records, { runHasEnded: true }), of).map(({ stepName, type, value, file }) => [
    stepName,
    type,
    file ?? value,
  ]);
const FROM_TRIGGER = ['trigger', 'OUTPUT', { body: 1 }];

describe('the samples of a run', () => {
  it('are what its trigger gave, and what its steps were given and gave', () => {
    expect(samplesOf([aRecordedStep('first', { input: { n: 1 }, output: 2 })])).toEqual([
      FROM_TRIGGER,
      ['first', 'INPUT', { n: 1 }],
      ['first', 'OUTPUT', 2],
    ]);
  });

  it('leave out steps that the flow does not have any more, and what a failed step gave', () => {
    const records = [aRecordedStep('gone'), aRecordedStep('first', { status: 'FAILED', errorMessage: 'no' })];
    expect(samplesOf(records)).toEqual([FROM_TRIGGER, ['first', 'INPUT', {}]]);
  });

  it('name the file of a large output', () => {
    const outputFile = { fileId: 'f', bytes: 9 };
    expect(samplesOf([aRecordedStep('first', { output: undefined, outputFile })])).toContainEqual([
      'first',
      'OUTPUT',
      outputFile,
    ]);
  });

  it('are of the last iteration that executed a step, for the steps inside a loop', () => {
    const records = [
      aRecordedStep('each[0].inner', { output: 'a' }),
      aRecordedStep('each[0].other', { output: 'A' }),
      aRecordedStep('each[1].inner', { output: 'b' }),
      aRecordedStep('each', { type: 'LOOP_ON_ITEMS', input: { items: [1, 2] }, output: { item: 2, index: 2 } }),
    ];
    const samples = samplesOf(records);
    expect(samples).toContainEqual(['inner', 'OUTPUT', 'b']);
    expect(samples.filter(([name]) => name === 'other')).toEqual([]);
    expect(samples).toContainEqual(['each', 'OUTPUT', expect.objectContaining({ item: 2, index: 2 })]);
  });

  it('of a loop have no more iterations than an editor can show', () => {
    const output = 'x'.repeat(600_000);
    const records = [0, 1, 2].map((i) => aRecordedStep(`each[${i}].inner`, { output }));
    const ofLoop = aRecordedStep('each', { type: 'LOOP_ON_ITEMS', output: { item: 2, index: 3 } });
    const [, , value] =
      samplesOf([...records, ofLoop]).find(([name, type]) => name === 'each' && type === 'OUTPUT') ?? [];
    expect((value as { iterations: unknown[] }).iterations).toHaveLength(1);
  });

  it('give the trigger its output under the name that it has now, and none while no trigger is chosen', () => {
    expect(samplesOf([], { ...trigger, name: 'start' })).toEqual([['start', 'OUTPUT', { body: 1 }]]);
    expect(samplesOf([], { ...trigger, type: 'EMPTY', settings: {} })).toEqual([]);
  });
});
