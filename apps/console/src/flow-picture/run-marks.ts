import type { Schemas } from '../api/client';
import type { Tone } from '../controls/status';
import { durationWords } from '../controls/time-words';
import { branchKey, type Mark } from './picture-context';
import { stepsOf, type Step } from './step';
import { words } from './words';

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
    const taken = ended.length === 1 ? branchesTakenBy(ended[0]) : '';
    marks.set(name, { tone: TONES[status], word: `${WORDS[status]} · ${taken}${lengthOf(ended)}` });
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

function lengthOf(ended: readonly StepResult[]): string {
  if (ended.length > 1) return words.ranOften(ended.length);
  const [result] = ended;
  const duration = durationWords(result?.duration ?? 0);
  const count = result ? iterationsOf(result).length : 0;
  return count === 0 ? duration : `${words.iterations(count)} · ${duration}`;
}

/** Which branches of the routers a run took, and how often: none of a router that it did not reach. */
export function branchMarksOf(results: StepResults, trigger: Step): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  const found = resultsByName(results);
  for (const { name, type, settings } of stepsOf(trigger)) {
    const ended = type === 'ROUTER' ? (found.get(name) ?? []) : [];
    const taken = ended.map((result) => takenBranches(result, settings));
    const count = Math.max(0, ...ended.map((result) => branchesOf(result).length));
    for (let index = 0; index < count; index++) {
      const times = taken.filter((indexes) => indexes.includes(index)).length;
      marks.set(
        branchKey(name, index),
        times > 0 ? { tone: 'good', word: words.taken(times) } : { tone: 'idle', word: words.notTaken },
      );
    }
  }
  return marks;
}

function takenBranches(result: StepResult, { executionType }: Step['settings']): number[] {
  const matching = branchesOf(result).flatMap(({ evaluation }, index) => (evaluation ? [index] : []));
  return executionType === 'EXECUTE_ALL_MATCH' ? matching : matching.slice(0, 1);
}

const branchesOf = ({ output }: StepResult): readonly { evaluation?: boolean }[] => {
  const { branches } = (output ?? {}) as { branches?: unknown };
  return Array.isArray(branches) ? (branches as { evaluation?: boolean }[]) : [];
};

function iterationsOf({ type, output }: StepResult): StepResults[] {
  if (type !== 'LOOP_ON_ITEMS' || typeof output !== 'object' || output === null) return [];
  const { iterations = [] } = output as { iterations?: StepResults[] };
  return iterations;
}

/** The branches that a router took, by their names, as the beginning of a mark. */
function branchesTakenBy(result: StepResult | undefined): string {
  if (result?.type !== 'ROUTER' || typeof result.output !== 'object' || result.output === null) return '';
  const { branches = [] } = result.output as { branches?: { branchName?: string; evaluation?: boolean }[] };
  const names = branches.filter(({ evaluation }) => evaluation === true).map(({ branchName = '' }) => branchName);
  return names.length === 0 ? '' : `${names.join(', ')} · `;
}
