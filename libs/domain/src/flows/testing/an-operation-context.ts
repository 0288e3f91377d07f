import { aPrincipal } from '../../testing/a-principal';
import { parseFlowOperation, type OperationContext } from '../operations/flow-operation';
import type { PopulatedFlow } from '../flow';
import type { FlowVersion } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { CheckedVersion } from '../version-validity';

/** The time at which a test applies an operation. It is after every other time in the flow. */
export const OPERATION_TIME = new Date('2026-01-02T00:00:00.000Z');

/** A check that finds no problem. */
export const foundValid = (version: FlowVersion): CheckedVersion => ({
  version: { ...version, valid: true },
  problems: [],
});

/** A check that finds a problem in `step_1`. */
export const foundInvalid = (version: FlowVersion): CheckedVersion => ({
  version: { ...version, valid: false },
  problems: [{ stepName: 'step_1', severity: 'error', message: 'It does not compile.' }],
});

/**
 * The context of a user's operation, a day after the last change of the flow. Its check finds no problem, new ids count
 * up from `id_1`, and there are no other versions, folders or members by default.
 */
export function anOperationContext(more: Partial<OperationContext> = {}): OperationContext {
  let ids = 0;
  return {
    principal: aPrincipal('EDITOR', { userId: 'user_2' }),
    now: OPERATION_TIME,
    newVersionId: 'version_2',
    newId: () => `id_${++ids}`,
    check: foundValid,
    findVersion: () => Promise.resolve(null),
    hasFolder: () => Promise.resolve(false),
    hasMember: () => Promise.resolve(false),
    ...more,
  };
}

/** Reads the operation and applies it, as a service does. */
export const applyOperation = async (
  current: PopulatedFlow,
  type: string,
  request: unknown,
  context: Partial<OperationContext> = {},
): Promise<FlowChange> => parseFlowOperation({ type, request }).apply(current, anOperationContext(context));
