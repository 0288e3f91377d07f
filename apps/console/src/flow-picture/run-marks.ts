import type { Schemas } from '../api/client';
import type { Tone } from '../controls/status';
import { durationWords } from '../controls/time-words';
import type { Mark } from './picture-context';

export type StepResult = Schemas['StepResult'];
export type StepResults = Readonly<Record<string, StepResult>>;

type ResultStatus = NonNullable<StepResult['status']>;

/** From the status that hides the others to the one that is hidden by them. */
const STATUSES: readonly ResultStatus[] = ['FAILED', 'STOPPED', 'PAUSED', 'RUNNING', 'SUCCEEDED'];

const TONES: Record<ResultStatus, Tone> = {
  FAILED: 'bad',
  STOPPED: 'idle',
  PAUSED: 'waits',
  RUNNING: 'runs',
  SUCCEEDED: 'good',
};

const WORDS: Record<ResultStatus, string> = {
  FAILED: 'Failed',
  STOPPED: 'Stopped',
  PAUSED: 'Paused',
  RUNNING: 'Running',
  SUCCEEDED: 'Succeeded',
};

/** How each step of a run ended, for its card. Of a step in a loop it is how the worst iteration ended. */
export function marksOf(results: StepResults): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const [name, ended] of resultsByName(results)) {
    const status = STATUSES.find((each) => ended.some((result) => statusOf(result) === each)) ?? 'SUCCEEDED';
    marks.set(name, { tone: TONES[status], word: `${WORDS[status]} · ${lengthOf(ended)}` });
  }
  return marks;
}

/** All results of each step: one, or one of each iteration around it. */
export function resultsByName(
  results: StepResults,
  found = new Map<string, StepResult[]>(),
): Map<string, StepResult[]> {
  for (const [name, result] of Object.entries(results)) {
    const known = found.get(name);
    if (known) known.push(result);
    else found.set(name, [result]);
    for (const iteration of iterationsOf(result)) resultsByName(iteration, found);
  }
  return found;
}

/** The trigger has no status: without it there would be no run. */
const statusOf = ({ status = 'SUCCEEDED' }: StepResult): ResultStatus => status;

const lengthOf = ([first, ...others]: readonly StepResult[]): string =>
  others.length > 0 ? `${others.length + 1} times` : durationWords(first?.duration ?? 0);

function iterationsOf({ type, output }: StepResult): StepResults[] {
  if (type !== 'LOOP_ON_ITEMS' || typeof output !== 'object' || output === null) return [];
  const { iterations = [] } = output as { iterations?: StepResults[] };
  return iterations;
}
