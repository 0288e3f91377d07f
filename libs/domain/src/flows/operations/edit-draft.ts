import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import { principalName } from '../../identity/principal';
import type { Flow, PopulatedFlow } from '../flow';
import {
  MAX_DEFINITION_CHARACTERS,
  MAX_STEP_NESTING,
  MAX_STEPS_PER_VERSION,
  stepsOf,
  type FlowTrigger,
  type FlowVersion,
} from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { notesInOrder, stepsInOrder } from '../member-order';
import { nestingOf } from '../step-tree';
import type { OperationContext } from './flow-operation';

// An operation makes one of three changes: none, one of the flow alone, or one of its draft.

/** The change of an operation whose request is fulfilled already. */
export const unchanged = (current: PopulatedFlow): FlowChange => ({
  flow: current,
  version: current.version,
  isNewVersion: false,
});

/** A change of the flow that leaves its versions unchanged. */
export const changeFlow = (current: PopulatedFlow, change: Partial<Flow>): FlowChange => ({
  flow: { ...current, ...change },
  version: current.version,
  isNewVersion: false,
});

/**
 * Changes the definition of the draft. When the latest version is locked, it makes a new draft from it, because a
 * locked version never changes. The result is checked. Throws FlowOperationInvalidError when it exceeds a limit of
 * versions.
 */
export async function editDraft(
  current: PopulatedFlow,
  context: OperationContext,
  edit: (draft: FlowVersion) => Partial<Pick<FlowVersion, 'displayName' | 'trigger' | 'notes' | 'schemaVersion'>>,
): Promise<FlowChange> {
  const { version: latest } = current;
  const isNewVersion = latest.state === 'LOCKED';
  const draft: FlowVersion = {
    ...neverPublished(latest),
    ...(isNewVersion ? { id: context.newVersionId, state: 'DRAFT', created: context.now } : {}),
    updated: context.now,
    updatedBy: principalName(context.principal),
  };
  const edited = { ...draft, ...edit(draft) };
  if (edited.trigger !== draft.trigger) assertWithinLimits(edited.trigger);
  const { version } = await context.check({
    ...edited,
    trigger: stepsInOrder(edited.trigger),
    notes: notesInOrder(edited.notes),
  });
  return { flow: current, version, isNewVersion };
}

/** A draft was never published, whatever became of the version from which it is made. */
function neverPublished({ published: _published, ...version }: FlowVersion): FlowVersion {
  return version;
}

function assertWithinLimits(trigger: FlowTrigger): void {
  let steps = 0;
  for (const _step of stepsOf(trigger)) steps++;
  if (steps > MAX_STEPS_PER_VERSION)
    throw new FlowOperationInvalidError(`A flow has at most ${MAX_STEPS_PER_VERSION} steps.`);
  if (JSON.stringify(trigger).length > MAX_DEFINITION_CHARACTERS)
    throw new FlowOperationInvalidError(
      `The steps of a flow have at most ${MAX_DEFINITION_CHARACTERS} characters of JSON.`,
    );
  if (nestingOf(trigger) > MAX_STEP_NESTING)
    throw new FlowOperationInvalidError(`Loops and routers nest at most ${MAX_STEP_NESTING} deep.`);
}
