import { shortJson } from '../json-view/value-words';

const MOST_OF_VALUE = 200;

export const words = {
  is: (value: unknown) => `= ${shortJson(value, MOST_OF_VALUE)}`,
  nothing: '= nothing, which a run reads as an empty text',
  evaluating: 'Evaluating…',
  notEvaluated: (why: string) => `The value is not known: ${why}`,
  at: (line: number, column: number) => `line ${line}, column ${column}`,
};
