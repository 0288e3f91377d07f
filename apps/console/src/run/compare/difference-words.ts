import { durationWords } from '../../controls/time-words';
import { placeOf } from '../step-results';
import { words as runWords } from '../words';
import type { FieldDifference, RunDiff, StepDifference } from './compare-queries';
import { words } from './words';

/** A part of a step that is shown beside that of the other run, in the order in which it is read. */
export interface ComparedField {
  /** Null where the values have a heading already. */
  name: string | null;
  left: unknown;
  right: unknown;
  /** Whether only the beginning of a value is shown. */
  isCut: boolean;
}

const FIELDS = ['errorMessage', 'input', 'output', 'status', 'attempts', 'type', 'duration'] as const;

export function fieldsOf({ fields }: StepDifference): ComparedField[] {
  return FIELDS.flatMap((name) => {
    const difference = fields[name];
    return difference ? [comparedField(words.fields[name], difference, name === 'duration')] : [];
  });
}

export function comparedField(
  name: string | null,
  { before, after, cut }: FieldDifference,
  isDuration = false,
): ComparedField {
  const shown = (value: unknown) => (isDuration && typeof value === 'number' ? durationWords(value) : value);
  return { name, left: shown(before), right: shown(after), isCut: cut !== undefined };
}

/** Where a step stands in a run, such as "Tell, iteration 3". */
export function placeWords(path: string, nameOf: (step: string) => string): string {
  const { name, iterations } = placeOf(path);
  return iterations.length === 0 ? nameOf(name) : `${nameOf(name)}, ${runWords.inIterations(iterations)}`;
}

/** What happened to a step, in a few words. */
export function changeWords({ change, fields }: StepDifference): string {
  if (change !== 'CHANGED') return words.changes[change];
  if (fields.status) return words.statusChanged(statusWord(fields.status.before), statusWord(fields.status.after));
  return FIELDS.filter((name) => name !== 'duration' && fields[name])
    .map((name) => words.fields[name].toLowerCase())
    .join(', ');
}

const statusWord = (status: unknown): string =>
  (typeof status === 'string' && (runWords.stepStatus as Record<string, string>)[status]) || words.nothing;

/** Whether the runs did the same, on the same input. */
export const isSame = ({ differences, trigger }: RunDiff): boolean => differences.length === 0 && trigger === undefined;
