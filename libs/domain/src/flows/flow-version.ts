import type { ControlSettings } from './control-settings';
import type { FlowNote } from './flow-note';

/** The version of the flow structure that this service writes. An import migrates older ones. */
export const SCHEMA_VERSION = '20';
export const MAX_STEPS_PER_VERSION = 1_000;
export const MAX_STEP_NESTING = 100;
/** The most characters of the steps as JSON text, both in an import and after an edit. */
export const MAX_DEFINITION_CHARACTERS = 25 * 1024 * 1024;

export type FlowVersionState = 'DRAFT' | 'LOCKED';

/** One version of a flow's definition. It never changes once it is LOCKED. */
export interface FlowVersion {
  id: string;
  flowId: string;
  displayName: string;
  trigger: FlowTrigger;
  valid: boolean;
  schemaVersion: string;
  state: FlowVersionState;
  notes: FlowNote[];
  created: Date;
  updated: Date;
  /** A user's id, or `api_key:<id>`. */
  updatedBy: string;
  /** Who published the version last. Absent for a version that was never published. */
  published?: Publication;
}

/** That somebody published a version, and why. */
export interface Publication {
  at: Date;
  /** A user's id, or `api_key:<id>`. */
  by: string;
  /** What the publisher says about it; null for nothing. */
  note: string | null;
}

/** A version in a list. Its steps and notes are left out because they may be large. */
export type FlowVersionSummary = Omit<FlowVersion, 'trigger' | 'notes'> & { contents: VersionContents };

/** What a list says about the steps of a version. */
export interface VersionContents {
  /** Null while no trigger is chosen. */
  trigger: { pieceName: string; pieceVersion: string; triggerName: string } | null;
  /** The pieces of the trigger and of the steps, each once, in the order in which they are written. */
  pieceNames: readonly string[];
  /** How many steps there are besides the trigger. */
  stepsCount: number;
}

interface StepBase {
  /** The name is unique in the version. It has a letter or `_`, then letters, digits and `_`. */
  name: string;
  displayName: string;
  valid: boolean;
  nextAction?: FlowAction;
}

/**
 * When the sample data of a step was saved, in ISO 8601. The data itself is stored beside the version (sample-data.ts).
 */
export interface SampleDataMarks {
  inputSavedAt?: string;
  outputSavedAt?: string;
}

export interface EmptyTrigger extends StepBase {
  type: 'EMPTY';
  settings: Record<string, unknown>;
}

export interface PieceTrigger extends StepBase {
  type: 'PIECE_TRIGGER';
  settings: {
    pieceName: string;
    pieceVersion: string;
    triggerName: string;
    input: Record<string, unknown>;
    propertySettings: Record<string, unknown>;
    sampleData?: SampleDataMarks;
  } & ControlSettings;
}

export type FlowTrigger = EmptyTrigger | PieceTrigger;

interface ActionBase extends StepBase {
  skip?: boolean;
}

export interface ErrorHandlingOptions {
  continueOnFailure?: { value: boolean };
  retryOnFailure?: { value: boolean };
}

export interface CodeAction extends ActionBase {
  type: 'CODE';
  settings: {
    /** `packageJson` is JSON text; its `dependencies` are bundled when the version is locked. */
    sourceCode: { code: string; packageJson: string };
    input: Record<string, unknown>;
    errorHandlingOptions?: ErrorHandlingOptions;
    sampleData?: SampleDataMarks;
  };
}

export interface PieceAction extends ActionBase {
  type: 'PIECE';
  settings: {
    pieceName: string;
    pieceVersion: string;
    actionName: string;
    input: Record<string, unknown>;
    propertySettings: Record<string, unknown>;
    errorHandlingOptions?: ErrorHandlingOptions;
    sampleData?: SampleDataMarks;
  };
}

export interface LoopAction extends ActionBase {
  type: 'LOOP_ON_ITEMS';
  settings: { items: unknown; sampleData?: SampleDataMarks };
  firstLoopAction?: FlowAction;
}

export type BranchOperator =
  | 'TEXT_CONTAINS'
  | 'TEXT_DOES_NOT_CONTAIN'
  | 'TEXT_EXACTLY_MATCHES'
  | 'TEXT_DOES_NOT_EXACTLY_MATCH'
  | 'TEXT_START_WITH'
  | 'TEXT_STARTS_WITH'
  | 'TEXT_DOES_NOT_START_WITH'
  | 'TEXT_ENDS_WITH'
  | 'TEXT_DOES_NOT_END_WITH'
  | 'NUMBER_IS_GREATER_THAN'
  | 'NUMBER_IS_LESS_THAN'
  | 'NUMBER_IS_EQUAL_TO'
  | 'BOOLEAN_IS_TRUE'
  | 'BOOLEAN_IS_FALSE'
  | 'DATE_IS_BEFORE'
  | 'DATE_IS_EQUAL'
  | 'DATE_IS_AFTER'
  | 'LIST_CONTAINS'
  | 'LIST_DOES_NOT_CONTAIN'
  | 'LIST_IS_EMPTY'
  | 'LIST_IS_NOT_EMPTY'
  | 'EXISTS'
  | 'DOES_NOT_EXIST';

export interface BranchCondition {
  firstValue: unknown;
  /** The operator. It may be '' before one is chosen, or unknown here after an import; the step is then not valid. */
  operator: string;
  secondValue?: unknown;
  caseSensitive?: boolean;
}

export type RouterBranch =
  /** The branch matches when all conditions of any of its groups hold. */
  | { branchType: 'CONDITION'; branchName: string; conditions: BranchCondition[][] }
  | { branchType: 'FALLBACK'; branchName: string };

export interface RouterAction extends ActionBase {
  type: 'ROUTER';
  settings: {
    executionType: 'EXECUTE_FIRST_MATCH' | 'EXECUTE_ALL_MATCH';
    branches: RouterBranch[];
    sampleData?: SampleDataMarks;
  };
  /** The first step of each branch, in the order of `branches`; null when a branch is empty. */
  children: (FlowAction | null)[];
}

export type FlowAction = CodeAction | PieceAction | LoopAction | RouterAction;
export type FlowStep = FlowTrigger | FlowAction;

/** The step and all steps after it, in the order of writing: the body of a step comes before its next step. */
export function* stepsOf(first: FlowStep | null | undefined): Generator<FlowStep> {
  const pending: (FlowStep | null | undefined)[] = [first];
  while (pending.length > 0) {
    const step = pending.pop();
    if (!step) continue;
    yield step;
    pending.push(step.nextAction);
    if (step.type === 'LOOP_ON_ITEMS') pending.push(step.firstLoopAction);
    if (step.type === 'ROUTER') pending.push(...[...step.children].reverse());
  }
}
