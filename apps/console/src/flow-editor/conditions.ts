import { NEW_CONDITION } from './new-step';

/** A condition of a branch (docs/flow-json.md, "Routers"). */
export interface Condition {
  firstValue?: unknown;
  operator: string;
  secondValue?: unknown;
  caseSensitive?: boolean;
}

/** The branch is taken when all conditions of any group hold. */
export type Conditions = readonly (readonly Condition[])[];

/** The operators that compare nothing. */
const OF_ONE_VALUE = /^(EXISTS|DOES_NOT_EXIST|BOOLEAN_IS_TRUE|BOOLEAN_IS_FALSE|LIST_IS_EMPTY|LIST_IS_NOT_EMPTY)$/;
/** The operators to which upper and lower case may be the same. */
const OF_TEXTS = /^(TEXT_|LIST_CONTAINS$|LIST_DOES_NOT_CONTAIN$)/;

export const comparesTwo = (operator: string): boolean => !OF_ONE_VALUE.test(operator);
export const comparesTexts = (operator: string): boolean => OF_TEXTS.test(operator);

/** The condition with another operator, without what that does not use. */
export function withOperator({ firstValue, secondValue, caseSensitive }: Condition, operator: string): Condition {
  return {
    firstValue,
    operator,
    ...(comparesTwo(operator) ? { secondValue: secondValue ?? '' } : {}),
    ...(comparesTexts(operator) && caseSensitive === true ? { caseSensitive } : {}),
  };
}

export const changedCondition = (all: Conditions, group: number, at: number, condition: Condition): Condition[][] =>
  all.map((each, index) => each.map((old, place) => (index === group && place === at ? condition : old)));

export const addedCondition = (all: Conditions, group: number): Condition[][] =>
  all.map((each, index) => (index === group ? [...each, NEW_CONDITION] : [...each]));

export const addedGroup = (all: Conditions): Condition[][] => [...all.map((each) => [...each]), [NEW_CONDITION]];

/** A group that loses its last condition is left out, because an empty one always holds. */
export const withoutCondition = (all: Conditions, group: number, at: number): Condition[][] =>
  all
    .map((each, index) => (index === group ? each.toSpliced(at, 1) : [...each]))
    .filter((each, index) => index !== group || each.length > 0);

/** Whether a value is what the form can show: groups of conditions. */
export const isConditions = (value: unknown): value is Conditions =>
  Array.isArray(value) &&
  value.every(
    (group) =>
      Array.isArray(group) &&
      group.every((each: unknown) => typeof each === 'object' && each !== null && 'operator' in each),
  );
