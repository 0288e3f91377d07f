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

/** What a step did in all iterations together. */
export type StepTotals = Schemas['StepTotals'];

/** How each step of a run ended, for its card. Of a step in a loop it is how the worst iteration ended. */
export const marksOf = (results: StepResults): Map<string, Mark> => marksOfTotals(totalsOf(results));

export const marksOfTotals = (totals: readonly Totals[]): Map<string, Mark> =>
  new Map(totals.map((step) => [step.stepName, { tone: TONES[step.status], word: markWord(step) }]));

type Totals = Omit<StepTotals, 'type'>;

/** The totals of a run that is here as a whole, its trigger too. */
export const totalsOf = (results: StepResults): Totals[] =>
  [...resultsByName(results)].map(([stepName, ended]) => ({
    stepName,
    count: ended.length,
    status: STATUSES.find((each) => ended.some((result) => statusOf(result) === each)) ?? 'SUCCEEDED',
    duration: ended.reduce((sum, { duration }) => sum + duration, 0),
    iterations: ended.reduce((sum, result) => sum + iterationsOf(result).length, 0),
    branches: branchTotals(ended.map(branchesOf)),
  }));

function branchTotals(taken: readonly (readonly Branch[])[]): Schemas['BranchTotals'][] {
  const longest = taken.reduce<readonly Branch[]>((one, other) => (other.length > one.length ? other : one), []);
  return longest.map(({ branchName = '' }, index) => ({
    branchName,
    met: taken.filter((branches) => branches[index]?.evaluation === true).length,
    first: taken.filter((branches) => branches.findIndex(({ evaluation }) => evaluation) === index).length,
  }));
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

function markWord({ count, status, duration, iterations = 0, branches = [] }: Totals): string {
  if (count > 1) return `${WORDS[status]} · ${words.ranOften(count)}`;
  const taken = branches.filter(({ met }) => met > 0).map(({ branchName }) => branchName);
  return [
    WORDS[status],
    ...(taken.length === 0 ? [] : [taken.join(', ')]),
    ...(iterations === 0 ? [] : [words.iterations(iterations)]),
    durationWords(duration),
  ].join(' · ');
}

/** Which branches of the routers a run took, and how often: none of a router that it did not reach. */
export function branchMarksOf(totals: readonly Totals[], trigger: Step): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  const byName = new Map(totals.map((step) => [step.stepName, step]));
  for (const { name, type, settings } of stepsOf(trigger)) {
    const branches = (type === 'ROUTER' && byName.get(name)?.branches) || [];
    for (const [index, { met, first }] of branches.entries()) {
      const times = settings.executionType === 'EXECUTE_ALL_MATCH' ? met : first;
      marks.set(
        branchKey(name, index),
        times > 0 ? { tone: 'good', word: words.taken(times) } : { tone: 'idle', word: words.notTaken },
      );
    }
  }
  return marks;
}

interface Branch {
  branchName?: string;
  evaluation?: boolean;
}

const branchesOf = ({ type, output }: StepResult): readonly Branch[] => {
  const { branches } = (type === 'ROUTER' ? (output ?? {}) : {}) as { branches?: unknown };
  return Array.isArray(branches) ? (branches as Branch[]) : [];
};

function iterationsOf({ type, output }: StepResult): StepResults[] {
  if (type !== 'LOOP_ON_ITEMS' || typeof output !== 'object' || output === null) return [];
  const { iterations = [] } = output as { iterations?: StepResults[] };
  return iterations;
}
