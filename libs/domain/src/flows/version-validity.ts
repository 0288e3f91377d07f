import type {
  CodeAction,
  FlowAction,
  FlowStep,
  FlowVersion,
  PieceAction,
  PieceTrigger,
  RouterAction,
} from './flow-version';
import { stepsOf } from './flow-version';
import type { CatalogueAction, CatalogueTrigger, PieceCatalogue } from '../pieces/piece-catalogue';
import { controlKeys, controlProblems, controlWarnings, TRIGGER } from './control-settings';
import { isBranchOperator } from './branch-operators';
import { mapSteps } from './map-steps';
import { readsConnections, stepReferences, stringsIn } from './step-references';
import { alone, namesOf } from './step-tree';

// Decides whether a version can be published, and why not. It sets `valid` in a version and in its steps. Its
// neighbour parse-trigger.ts has checked the structure before.
//
// V1. A step is valid when it is skipped or has no problem of severity `error`. A version is valid when all its steps
//     are.
// V2. Warnings never make a step invalid.
// V3. A step inside a skipped loop or router is skipped too.
// V4. Expressions are parsed only when the flow has no more of them than it may have, which bounds the work.

export const MAX_EXPRESSIONS_PER_VERSION = 20_000;
/** The most characters of all texts with expressions together. */
export const MAX_EXPRESSION_CHARACTERS = 5_000_000;

export interface VersionProblem {
  stepName: string;
  severity: 'error' | 'warning';
  /** One sentence for the author of the flow. */
  message: string;
}

/** The checks that the rule leaves to others. Each returns one sentence for each problem. */
export interface ValidityChecks {
  pieces: PieceCatalogue;
  /** The problems of the expressions in a step's settings. */
  expressionProblems(value: unknown): readonly string[];
  /** The problems of a code step's source, which is not empty. */
  codeProblems(step: CodeAction): readonly string[];
}

export interface CheckedVersion {
  version: FlowVersion;
  problems: VersionProblem[];
}

type CatalogueEntry = CatalogueTrigger | CatalogueAction;

/**
 * Sets `valid` in the version and its steps. In each step of a known piece it replaces a public name or a range of
 * versions by the name and the version of the piece that will run.
 */
export function checkVersion(version: FlowVersion, checks: ValidityChecks): CheckedVersion {
  const steps = [...stepsOf(version.trigger)];
  const skipped = skippedAmong(steps);
  const executed = steps.filter((step) => !skipped.has(step.name));
  const entries = new Map(steps.map((step) => [step.name, catalogueEntryOf(step, checks.pieces)]));
  const tooMany = tooManyExpressions(version.trigger, executed);
  const bounded = tooMany.length > 0 ? { ...checks, expressionProblems: () => [] } : checks;
  const errors = [
    ...tooMany,
    ...executed.flatMap((step) => [...errorsOf(step, entries.get(step.name) ?? null, bounded)]),
  ];
  const invalid = new Set(errors.map(({ stepName }) => stepName));
  const trigger = mapSteps(version.trigger, (step) => ({
    ...withPieceOf(step, entries.get(step.name) ?? null),
    valid: !invalid.has(step.name),
  }));
  return {
    version: { ...version, trigger, valid: invalid.size === 0 },
    problems: [...errors, ...warningsOf(steps, skipped, entries)],
  };
}

/** The problems that forbid publishing. */
export const errorsAmong = (problems: readonly VersionProblem[]): VersionProblem[] =>
  problems.filter((problem) => problem.severity === 'error');

function catalogueEntryOf({ type, settings }: FlowStep, pieces: PieceCatalogue): CatalogueEntry | null {
  if (type === 'PIECE') return pieces.findAction(settings.pieceName, settings.pieceVersion, settings.actionName);
  if (type !== 'PIECE_TRIGGER') return null;
  return pieces.findTrigger(settings.pieceName, settings.pieceVersion, settings.triggerName);
}

function withPieceOf<Step extends FlowStep>(step: Step, entry: CatalogueEntry | null): Step {
  if (entry === null || (step.type !== 'PIECE' && step.type !== 'PIECE_TRIGGER')) return step;
  const pieceVersion = namesNoVersion(step, entry) ? step.settings.pieceVersion : entry.pieceVersion;
  return { ...step, settings: { ...step.settings, pieceName: entry.pieceName, pieceVersion } };
}

const EXACT_VERSION = /^\d+\.\d+\.\d+$/;

/** Whether a step names an exact version of a piece of ours that does not exist. Public pieces have other versions. */
const namesNoVersion = ({ settings }: PieceTrigger | PieceAction, entry: CatalogueEntry): boolean =>
  settings.pieceName === entry.pieceName &&
  settings.pieceVersion !== entry.pieceVersion &&
  EXACT_VERSION.test(settings.pieceVersion);

function* errorsOf(step: FlowStep, entry: CatalogueEntry | null, checks: ValidityChecks): Generator<VersionProblem> {
  for (const message of [
    ...settingsProblems(step, entry, checks),
    ...checks.expressionProblems(templatesOf(step)),
    ...controlProblemsOf(step, checks),
  ])
    yield { stepName: step.name, severity: 'error', message };
}

function settingsProblems(step: FlowStep, entry: CatalogueEntry | null, checks: ValidityChecks): readonly string[] {
  switch (step.type) {
    case 'EMPTY':
      return ['The flow has no trigger yet.'];
    case 'PIECE_TRIGGER':
    case 'PIECE':
      return pieceProblems(step, entry, checks.pieces);
    case 'CODE':
      return step.settings.sourceCode.code.trim() === '' ? ['The step has no code.'] : checks.codeProblems(step);
    case 'LOOP_ON_ITEMS':
      return loopProblems(step.settings.items);
    case 'ROUTER':
      return routerProblems(step);
  }
}

function controlProblemsOf(step: FlowStep, checks: ValidityChecks): readonly string[] {
  if (step.type !== 'PIECE_TRIGGER') return [];
  return [...controlProblems(step.settings), ...checks.expressionProblems(controlKeys(step.settings))];
}

function loopProblems(items: unknown): string[] {
  if (items === '') return ['The loop has no items.'];
  const mayBeList = Array.isArray(items) || (typeof items === 'string' && items.includes('{{'));
  return mayBeList ? [] : ['The items of the loop are not a list.'];
}

function routerProblems({ settings: { branches } }: RouterAction): string[] {
  if (branches.length === 0) return ['The router has no branches.'];
  return branches.flatMap((branch) => {
    const conditions = branch.branchType === 'CONDITION' ? branch.conditions.flat() : [];
    const wrong = conditions.find(({ operator }) => !isBranchOperator(operator));
    if (!wrong) return [];
    const has = wrong.operator === '' ? 'no operator' : `the operator ${wrong.operator}, which does not exist`;
    return [`A condition of the branch ${JSON.stringify(branch.branchName)} has ${has}.`];
  });
}

function pieceProblems(
  { type, settings }: PieceTrigger | PieceAction,
  entry: CatalogueEntry | null,
  pieces: PieceCatalogue,
): readonly string[] {
  const { pieceName, pieceVersion, input } = settings;
  const [kind, name] = type === 'PIECE' ? ['action', settings.actionName] : ['trigger', settings.triggerName];
  if (pieceName === '' || name === '') return [`No piece and ${kind} are chosen.`];
  if (entry) return entry.inputProblems(input);
  // Another version of a package may be here, so the reason counts first.
  const reason = pieces.reasonForMissing(pieceName, pieceVersion);
  if (reason !== null) return [reason];
  if (pieces.hasPiece(pieceName)) return [`The piece ${pieceName} has no ${kind} ${name}.`];
  return [`There is no piece ${[pieceName, pieceVersion].filter(Boolean).join(' ')}.`];
}

/** The part of a step's settings in which expressions are resolved. Source code is not part of it. */
export function templatesOf(step: FlowStep): unknown {
  switch (step.type) {
    case 'EMPTY':
      return null;
    case 'LOOP_ON_ITEMS':
      return step.settings.items;
    case 'ROUTER':
      return step.settings.branches;
    default:
      return step.settings.input;
  }
}

function* referenceWarningsOf(
  step: FlowStep,
  earlier: ReadonlySet<string>,
  all: ReadonlySet<string>,
): Generator<VersionProblem> {
  // The input of a trigger refers to the event that starts the run.
  if (step.type === 'PIECE_TRIGGER') return;
  for (const name of stepReferences(templatesOf(step))) {
    if (earlier.has(name)) continue;
    const message =
      name === step.name
        ? `It refers to itself.`
        : all.has(name)
          ? `It refers to the step ${name}, which comes later.`
          : `It refers to ${name}, and there is no such step.`;
    yield { stepName: step.name, severity: 'warning', message };
  }
}

function* branchWarningsOf(step: FlowStep): Generator<VersionProblem> {
  if (step.type !== 'ROUTER') return;
  for (const branch of step.settings.branches) {
    if (branch.branchType !== 'CONDITION' || branch.conditions.length > 0) continue;
    const message = `The branch ${JSON.stringify(branch.branchName)} has no conditions and is never taken.`;
    yield { stepName: step.name, severity: 'warning', message };
  }
}

function* pieceWarningsOf(step: FlowStep, entry: CatalogueEntry | null): Generator<VersionProblem> {
  if (entry === null || (step.type !== 'PIECE' && step.type !== 'PIECE_TRIGGER')) return;
  const { pieceName, pieceVersion, input } = step.settings;
  const warning = (message: string): VersionProblem => ({ stepName: step.name, severity: 'warning', message });
  if (namesNoVersion(step, entry))
    yield warning(`There is no version ${pieceVersion} of the piece ${pieceName}; ${entry.pieceVersion} runs.`);
  const user = 'actionName' in entry ? `action ${entry.actionName}` : `trigger ${entry.triggerName}`;
  for (const name of entry.unknownInputs(input)) yield warning(`The ${user} does not know the input ${name}.`);
  for (const message of entry.inputWarnings(input)) yield warning(message);
}

/** The keys of flow control are resolved before the first step, so they see only the trigger. */
function* controlWarningsOf(step: FlowStep): Generator<VersionProblem> {
  if (step.type !== 'PIECE_TRIGGER') return;
  const warning = (message: string): VersionProblem => ({ stepName: step.name, severity: 'warning', message });
  for (const message of controlWarnings(step.settings)) yield warning(message);
  const keys = controlKeys(step.settings);
  for (const name of stepReferences(keys))
    if (name !== step.name && name !== TRIGGER)
      yield warning(`A key of its flow control refers to ${name}, but sees only the trigger.`);
  if (step.name !== 'connections' && readsConnections(keys))
    yield warning('A key of its flow control reads connections, but sees only the trigger.');
}

/** The steps are in the order in which they run, so a step can refer to the steps before it. */
function warningsOf(
  steps: readonly FlowStep[],
  skipped: ReadonlySet<string>,
  entries: ReadonlyMap<string, CatalogueEntry | null>,
): VersionProblem[] {
  const all = new Set(steps.map((step) => step.name));
  const earlier = new Set<string>();
  return steps.flatMap((step) => {
    const warnings = skipped.has(step.name)
      ? []
      : [
          ...branchWarningsOf(step),
          ...pieceWarningsOf(step, entries.get(step.name) ?? null),
          ...controlWarningsOf(step),
          ...referenceWarningsOf(step, earlier, all),
        ];
    earlier.add(step.name);
    return warnings;
  });
}

/** The names of the steps that runs skip. */
export function skippedAmong(steps: readonly FlowStep[]): Set<string> {
  const skipped = steps.filter((step): step is FlowAction => 'skip' in step && step.skip === true);
  return new Set(skipped.flatMap((step) => [...namesOf(alone(step))]));
}

function tooManyExpressions(trigger: FlowStep, steps: readonly FlowStep[]): VersionProblem[] {
  let expressions = 0;
  let characters = 0;
  for (const step of steps)
    for (const text of stringsIn(templatesOf(step))) {
      const before = expressions;
      for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', open + 2)) expressions++;
      if (expressions > before) characters += text.length;
    }
  if (expressions > MAX_EXPRESSIONS_PER_VERSION)
    return [
      problemOf(trigger, `The flow has ${expressions} expressions, and ${MAX_EXPRESSIONS_PER_VERSION} is the most.`),
    ];
  if (characters > MAX_EXPRESSION_CHARACTERS)
    return [
      problemOf(
        trigger,
        `The texts with expressions have ${characters} characters, and ${MAX_EXPRESSION_CHARACTERS} is the most.`,
      ),
    ];
  return [];
}

const problemOf = ({ name }: FlowStep, message: string): VersionProblem => ({
  stepName: name,
  severity: 'error',
  message,
});
