import { resolveOperator } from './branch-operators';
import type { BranchCondition, RouterAction, RouterBranch } from './flow-version';
import type { JsonReader } from '../json/json-reader';
import type { Member } from '../json/request-shape';
import { DROPPED_WITHOUT_PIECE } from './parse-settings';

const EXECUTION_TYPES = ['EXECUTE_FIRST_MATCH', 'EXECUTE_ALL_MATCH'] as const;
const MAX_OPERATOR_LENGTH = 100;
const BRANCH_TYPES = ['CONDITION', 'FALLBACK'] as const;

/** Reads the settings of a router. */
export function parseBranches(settings: JsonReader): RouterAction['settings'] {
  const executionType = settings.oneOf('executionType', EXECUTION_TYPES, 'EXECUTE_FIRST_MATCH');
  const branches = settings.each('branches', parseBranch);
  settings.refuseOthers(DROPPED_WITHOUT_PIECE);
  return { executionType, branches };
}

function parseBranch(branch: JsonReader, index: number): RouterBranch {
  const branchType = branch.oneOf('branchType', BRANCH_TYPES);
  const branchName = branch.text('branchName', `Branch ${index + 1}`);
  if (branchType === 'FALLBACK') {
    branch.refuseOthers(['conditions']);
    return { branchType, branchName };
  }
  const conditions = CONDITIONS.read(branch, 'conditions');
  branch.refuseOthers();
  return { branchType, branchName, conditions };
}

/** The conditions of a branch, a list of groups of conditions; an empty list when it is absent. */
export const CONDITIONS: Member<BranchCondition[][]> = {
  read: (reader, name) => reader.eachList(name, parseCondition),
  schema: {
    type: 'array',
    items: { type: 'array', items: { type: 'object', additionalProperties: true } },
    description: 'OR-groups of AND-conditions.',
  },
};

function parseCondition(condition: JsonReader): BranchCondition {
  const parsed: BranchCondition = {
    firstValue: condition.any('firstValue') ?? '',
    operator: operatorOf(condition),
  };
  const secondValue = condition.datum('secondValue');
  if (secondValue !== undefined) parsed.secondValue = secondValue;
  const caseSensitive = condition.flag('caseSensitive', undefined);
  if (caseSensitive !== undefined) parsed.caseSensitive = caseSensitive;
  condition.refuseOthers();
  return parsed;
}

/** Reads an operator. An unknown operator is accepted here and makes its step invalid later. */
function operatorOf(condition: JsonReader): string {
  const operator = condition.text('operator', '');
  if (operator.length > MAX_OPERATOR_LENGTH)
    condition.wrong('operator', `must have at most ${MAX_OPERATOR_LENGTH} characters.`);
  return resolveOperator(operator);
}
