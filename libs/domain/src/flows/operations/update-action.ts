import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { PopulatedFlow } from '../flow';
import type { FlowAction, RouterAction } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import { schemaRef } from '../../json/json-schema';
import { parseLoneAction } from '../parse-trigger';
import { actionNamed, changeStep } from '../step-tree';
import { editDraft } from './edit-draft';
import type { FlowOperationRule, OperationContext } from './flow-operation';

/**
 * Replaces a step without its place, the steps after it and the steps in its body. Clients send a step back as they got
 * it, so the request may have `nextAction`, `firstLoopAction` and `children`; they have no effect, because other
 * operations move steps.
 */
export const UPDATE_ACTION: FlowOperationRule<FlowAction> = {
  request: {
    read: (reader) => parseLoneAction(reader.whole(), reader.path),
    schema: schemaRef('FlowAction'),
  },
  apply,
  brings: (action) => action,
};

async function apply(current: PopulatedFlow, action: FlowAction, context: OperationContext): Promise<FlowChange> {
  const { name } = action;
  const old = actionNamed(current.version.trigger, name, 'updated as an action: use UPDATE_TRIGGER');
  const replacement = inPlaceOf(old, action);
  const edited = await editDraft(current, context, ({ trigger }) => ({
    trigger: changeStep(trigger, name, () => replacement),
  }));
  return doesTheSame(old, action) ? edited : { ...edited, sampleData: { kind: 'forget', stepNames: [name] } };
}

/** Whether the sample data of the old step is still useful for the new one. */
function doesTheSame(old: FlowAction, action: FlowAction): boolean {
  if (old.type !== 'PIECE' || action.type !== 'PIECE') return old.type === action.type;
  const [is, shall] = [old.settings, action.settings];
  return is.pieceName === shall.pieceName && is.actionName === shall.actionName;
}

/** The new step with the links of the old one. Throws FlowOperationInvalidError when steps would be lost. */
function inPlaceOf(old: FlowAction, action: FlowAction): FlowAction {
  const linked = old.nextAction ? { ...action, nextAction: old.nextAction } : action;
  return old.type === linked.type ? withWhatStays(old, linked) : assertHasNoBody(old, linked);
}

function withWhatStays(old: FlowAction, action: FlowAction): FlowAction {
  const sampleData = doesTheSame(old, action) ? old.settings.sampleData : undefined;
  const kept = (
    sampleData === undefined ? action : { ...action, settings: { ...action.settings, sampleData } }
  ) as FlowAction;
  if (kept.type === 'LOOP_ON_ITEMS' && old.type === 'LOOP_ON_ITEMS')
    return old.firstLoopAction ? { ...kept, firstLoopAction: old.firstLoopAction } : kept;
  if (kept.type === 'ROUTER' && old.type === 'ROUTER') return withBodiesOf(old, kept);
  return kept;
}

function withBodiesOf(old: RouterAction, router: RouterAction): RouterAction {
  const [is, shall] = [old.settings.branches.length, router.settings.branches.length];
  if (is !== shall)
    throw new FlowOperationInvalidError(
      `The router ${old.name} has ${is} branches, not ${shall}: use ADD_BRANCH and DELETE_BRANCH to change that.`,
    );
  return { ...router, children: old.children };
}

function assertHasNoBody(old: FlowAction, action: FlowAction): FlowAction {
  const hasBody =
    (old.type === 'LOOP_ON_ITEMS' && old.firstLoopAction !== undefined) ||
    (old.type === 'ROUTER' && old.children.some((child) => child !== null));
  if (hasBody)
    throw new FlowOperationInvalidError(
      `The step ${old.name} has steps inside it, which would be lost if it became a step of another type.`,
    );
  return action;
}
