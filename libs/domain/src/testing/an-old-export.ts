import type { FlowAction, FlowStep, RouterAction } from '../flows/flow-version';

type Json = Record<string, unknown>;

const EDITOR_MEMORY = { inputUiInfo: { currentSelectedData: { id: 1 }, customizedInputs: {}, sampleData: [1] } };

/**
 * The step and all steps after it, as exports wrote them before schema versions: a router with two branches is a BRANCH
 * step, and the settings contain notes of the editor. It is recursive, so it serves short flows only.
 */
export function asBeforeNumbers(step: FlowStep): Json {
  const { nextAction, ...others } = step;
  const next = nextAction ? { nextAction: asBeforeNumbers(nextAction) } : {};
  return { ...bodyBeforeNumbers(others), lastUpdatedDate: '2024-01-01T00:00:00.000Z', ...next };
}

function bodyBeforeNumbers(step: FlowStep): Json {
  switch (step.type) {
    case 'PIECE':
    case 'PIECE_TRIGGER': {
      const { propertySettings: _newer, ...settings } = step.settings;
      return { ...step, settings: { ...settings, ...EDITOR_MEMORY, packageType: 'REGISTRY', pieceType: 'OFFICIAL' } };
    }
    case 'LOOP_ON_ITEMS': {
      const { firstLoopAction, ...loop } = step;
      const body = firstLoopAction ? { firstLoopAction: asBeforeNumbers(firstLoopAction) } : {};
      return { ...loop, settings: { ...step.settings, ...EDITOR_MEMORY }, ...body };
    }
    case 'ROUTER':
      return routerBeforeNumbers(step);
    default:
      return { ...step, settings: { ...step.settings, ...EDITOR_MEMORY } };
  }
}

function routerBeforeNumbers({ children, settings, ...others }: RouterAction): Json {
  const bodies = children.map((child: FlowAction | null) => child && asBeforeNumbers(child));
  const [first] = settings.branches;
  if (settings.branches.length !== 2 || first?.branchType !== 'CONDITION')
    return { ...others, settings: { ...settings, ...EDITOR_MEMORY }, children: bodies };
  return {
    ...others,
    type: 'BRANCH',
    settings: { conditions: first.conditions, ...EDITOR_MEMORY },
    ...(bodies[0] ? { onSuccessAction: bodies[0] } : {}),
    ...(bodies[1] ? { onFailureAction: bodies[1] } : {}),
  };
}
