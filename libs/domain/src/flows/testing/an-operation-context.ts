import { parseFlowOperation, type OperationContext } from '../operations/flow-operation';
import type { PopulatedFlow } from '../flow';
import type { FlowVersion } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { CheckedVersion } from '../version-validity';

/** When an operation of a test is applied: after everything that its flow has seen. */
export const OPERATION_TIME = new Date('2026-01-02T00:00:00.000Z');

/** Finds no fault. */
export const foundValid = (version: FlowVersion): CheckedVersion => ({
  version: { ...version, valid: true },
  problems: [],
});

/** Finds fault with `step_1`. */
export const foundInvalid = (version: FlowVersion): CheckedVersion => ({
  version: { ...version, valid: false },
  problems: [{ stepName: 'step_1', severity: 'error', message: 'It does not compile.' }],
});

/**
 * A user's change, a day after the flow was last touched, of a definition in which no fault is found; new ids count up
 * (`id_1`). There are no other versions, folders or members unless given.
 */
export function anOperationContext(more: Partial<OperationContext> = {}): OperationContext {
  let ids = 0;
  return {
    principal: { kind: 'user', userId: 'user_2', projectIds: ['p'], platformAdmin: false },
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
