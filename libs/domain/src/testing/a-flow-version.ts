import type {
  BranchCondition,
  CodeAction,
  FlowAction,
  FlowVersion,
  LoopAction,
  PieceAction,
  PieceTrigger,
  RouterAction,
  RouterBranch,
} from '../flows/flow-version';

// Builders of flow versions. Each returns a valid value and takes only what the test is about. Tests give steps as
// lists, and the builders chain them.

type Optional<Step> = Partial<Pick<Step & { displayName: string; skip?: boolean }, 'displayName' | 'skip'>>;

/** A locked version with a webhook trigger called `trigger`, followed by the given steps. */
export function aFlowVersion(steps: FlowAction[] = [], more: Partial<FlowVersion> = {}): FlowVersion {
  return {
    id: '0199f000-0000-7000-8000-000000000002',
    flowId: '0199f000-0000-7000-8000-000000000001',
    displayName: 'A flow',
    trigger: webhookTrigger(steps),
    valid: true,
    schemaVersion: '20',
    state: 'LOCKED',
    notes: [],
    created: new Date('2026-01-01T00:00:00.000Z'),
    updated: new Date('2026-01-01T00:00:00.000Z'),
    updatedBy: '0199f000-0000-7000-8000-000000000003',
    ...more,
  };
}

export function webhookTrigger(steps: FlowAction[] = [], input: Record<string, unknown> = {}): PieceTrigger {
  return {
    name: 'trigger',
    displayName: 'Catch Webhook',
    valid: true,
    type: 'PIECE_TRIGGER',
    settings: {
      pieceName: 'webhook',
      pieceVersion: '0.1.0',
      triggerName: 'catch_webhook',
      input,
      propertySettings: {},
    },
    nextAction: chain(steps),
  };
}

/** A trigger of a built-in piece, followed by the given steps. */
export function builtInTrigger(
  pieceName: string,
  triggerName: string,
  steps: FlowAction[] = [],
  input: Record<string, unknown> = {},
): PieceTrigger {
  const trigger = webhookTrigger(steps, input);
  return { ...trigger, settings: { ...trigger.settings, pieceName, triggerName } };
}

/** A code step. Its default code returns its inputs. */
export function codeStep(
  name: string,
  input: Record<string, unknown> = {},
  code = 'export const code = async (inputs) => inputs;',
  more: Optional<CodeAction> & Pick<CodeAction['settings'], 'errorHandlingOptions'> = {},
): CodeAction {
  const { errorHandlingOptions, ...rest } = more;
  return {
    name,
    displayName: name,
    valid: true,
    type: 'CODE',
    settings: { sourceCode: { code, packageJson: '{}' }, input, ...(errorHandlingOptions && { errorHandlingOptions }) },
    ...rest,
  };
}

export function loop(
  name: string,
  items: unknown,
  body: FlowAction[] = [],
  more: Optional<LoopAction> = {},
): LoopAction {
  return {
    name,
    displayName: name,
    valid: true,
    type: 'LOOP_ON_ITEMS',
    settings: { items },
    firstLoopAction: chain(body),
    ...more,
  };
}

export type BranchWithSteps = RouterBranch & { steps: FlowAction[] };

/** A branch that is taken when all conditions of any group hold. */
export function branch(branchName: string, conditions: BranchCondition[][], steps: FlowAction[] = []): BranchWithSteps {
  return { branchType: 'CONDITION', branchName, conditions, steps };
}

export function fallback(steps: FlowAction[] = [], branchName = 'Otherwise'): BranchWithSteps {
  return { branchType: 'FALLBACK', branchName, steps };
}

/** A router that takes the first matching branch by default. */
export function router(
  name: string,
  branches: BranchWithSteps[],
  more: Optional<RouterAction> & Partial<Pick<RouterAction['settings'], 'executionType'>> = {},
): RouterAction {
  const { executionType = 'EXECUTE_FIRST_MATCH', ...rest } = more;
  return {
    name,
    displayName: name,
    valid: true,
    type: 'ROUTER',
    settings: { executionType, branches: branches.map(({ steps: _steps, ...settings }) => settings) },
    children: branches.map(({ steps }) => chain(steps) ?? null),
    ...rest,
  };
}

export function pieceStep(
  name: string,
  input: Record<string, unknown> = {},
  more: Optional<PieceAction> & Pick<PieceAction['settings'], 'errorHandlingOptions'> = {},
): PieceAction {
  const { errorHandlingOptions, ...rest } = more;
  return {
    name,
    displayName: name,
    valid: true,
    type: 'PIECE',
    settings: {
      pieceName: 'http',
      pieceVersion: '0.1.0',
      actionName: 'send_request',
      input,
      propertySettings: {},
      ...(errorHandlingOptions && { errorHandlingOptions }),
    },
    ...rest,
  };
}

/** A step with an action of a built-in piece. */
export function builtInStep(
  name: string,
  pieceName: string,
  actionName: string,
  input: Record<string, unknown> = {},
  more: Parameters<typeof pieceStep>[2] = {},
): PieceAction {
  const step = pieceStep(name, input, more);
  return { ...step, settings: { ...step.settings, pieceName, actionName } };
}

/** Links the steps through `nextAction`. */
export function chain(steps: FlowAction[]): FlowAction | undefined {
  return steps.reduceRight<FlowAction | undefined>(
    (nextAction, step) => (nextAction ? { ...step, nextAction } : step),
    undefined,
  );
}
