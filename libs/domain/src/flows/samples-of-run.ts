import type { OutputFile } from '../journal/step-record';
import type { StepResult, StepResults, TriggerResult } from '../journal/step-results';
import type { FlowTrigger } from './flow-version';
import type { SampleDataType } from './sample-data';
import { namesOf } from './step-tree';

/** What a step of a run was given or gave. A large output is in a file. */
export type RunSample = { stepName: string; type: SampleDataType } & (
  | { value: unknown; file?: undefined }
  | { value?: undefined; file: OutputFile }
);

/** More iterations than these would be too much for a sample, in characters of JSON. */
const MOST_ITERATIONS = 1024 * 1024;

/**
 * What the steps of a flow were given and gave in a run, which may have executed another version of it. The result of
 * its trigger is for the flow's trigger, whatever its name was then. Of the steps inside a loop it is what they did in
 * the last iteration that executed any, which is the one that the loop's item shows. A step that failed has an input
 * and no output.
 */
export function samplesOfRun(ofTrigger: TriggerResult, results: StepResults, trigger: FlowTrigger): RunSample[] {
  const stepNames = namesOf(trigger);
  stepNames.delete(trigger.name);
  const samples: RunSample[] = [];
  // A trigger that is not chosen yet keeps no sample data.
  if (trigger.type !== 'EMPTY') samples.push({ stepName: trigger.name, type: 'OUTPUT', value: ofTrigger.output });
  const pending: StepResults[] = [results];
  for (let next = pending.pop(); next; next = pending.pop())
    for (const [stepName, result] of Object.entries(next)) {
      if (stepNames.has(stepName)) samples.push(...samplesOfStep(stepName, result));
      const body = result.type === 'LOOP_ON_ITEMS' ? lastExecuted(iterationsOf(result)) : undefined;
      if (body) pending.push(body);
    }
  return samples;
}

function samplesOfStep(stepName: string, result: StepResult): RunSample[] {
  const given: RunSample = { stepName, type: 'INPUT', value: result.input };
  if (result.type === 'LOOP_ON_ITEMS') return [given, { stepName, type: 'OUTPUT', value: loopSample(result) }];
  if (result.status !== 'SUCCEEDED') return [given];
  const { outputFile: file } = result;
  return [given, { stepName, type: 'OUTPUT', ...(file ? { file } : { value: result.output }) }];
}

/** The output of a loop, with as many of its iterations as are not too much. */
function loopSample(loop: StepResult): unknown {
  const kept: StepResults[] = [];
  let characters = 0;
  for (const iteration of iterationsOf(loop)) {
    characters += JSON.stringify(iteration).length;
    if (characters > MOST_ITERATIONS) break;
    kept.push(iteration);
  }
  return { ...(loop.output as object), iterations: kept };
}

const iterationsOf = ({ output }: StepResult): readonly StepResults[] =>
  (output as { iterations?: StepResults[] } | null)?.iterations ?? [];

const lastExecuted = (iterations: readonly StepResults[]): StepResults | undefined =>
  iterations.findLast((iteration) => Object.keys(iteration).length > 0);
