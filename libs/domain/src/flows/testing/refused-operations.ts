import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import { InvalidRequestError } from '../../errors/invalid-request.error';
import type { PopulatedFlow } from '../flow';
import { parseFlowOperation } from '../operations/flow-operation';
import { applyOperation } from './an-operation-context';

/** The message of the refusal when an operation does not fit the flow. Throws when it fits. */
export async function misfitOf(current: PopulatedFlow, type: string, request: unknown): Promise<string> {
  try {
    await applyOperation(current, type, request);
  } catch (error) {
    if (error instanceof FlowOperationInvalidError) return error.message;
    throw error;
  }
  throw new Error(`${type} was not refused.`);
}

/** The JSON pointers to the malformed members of a request. */
export function malformedPathsOf(type: string, request: unknown): string[] {
  try {
    parseFlowOperation({ type, request });
  } catch (error) {
    if (error instanceof InvalidRequestError)
      return (error.params['errors'] as { path: string }[]).map(({ path }) => path);
    throw error;
  }
  return [];
}
