import type { CodeAction, FlowAction, FlowStep, FlowVersion, PieceAction, PieceTrigger } from './flow-version';
import { stepsOf } from './flow-version';
import type { PieceCatalogue } from '../pieces/piece-catalogue';
import { mapSteps } from './map-steps';
import { stepReferences } from './step-references';

// Whether a version can be published, and why not.
//
// Owner of: `valid` on every step and on the version. Its neighbour parse-trigger.ts has seen to the structure.
//
// V1. A step is valid when it has no problem of severity `error`, or is skipped. A version is, when all its steps are.
// V2. Warnings never make a step invalid.

export interface VersionProblem {
  stepName: string;
  severity: 'error' | 'warning';
  /** One sentence for the author. */
  message: string;
}

/** What the rule asks of others. Each answers one sentence per problem, none when there is nothing to say. */
export interface ValidityChecks {
  pieces: PieceCatalogue;
  /** Of the expressions in a step's settings. */
  expressionProblems(value: unknown): readonly string[];
  /** Of the source of a code step that has some. */
  codeProblems(step: CodeAction): readonly string[];
}

export interface CheckedVersion {
  version: FlowVersion;
  problems: VersionProblem[];
}

export function checkVersion(version: FlowVersion, checks: ValidityChecks): CheckedVersion {
  const steps = [...stepsOf(version.trigger)];
  const problems = steps.flatMap((step) => [...errorsOf(step, checks)]).concat(referenceWarnings(steps));
  const invalid = new Set(
    problems.filter((problem) => problem.severity === 'error').map((problem) => problem.stepName),
  );
  const trigger = mapSteps(version.trigger, (step) => ({ ...step, valid: !invalid.has(step.name) }));
  return { version: { ...version, trigger, valid: invalid.size === 0 }, problems };
}

/** The problems that forbid publishing. */
export const errorsAmong = (problems: readonly VersionProblem[]): VersionProblem[] =>
  problems.filter((problem) => problem.severity === 'error');

function* errorsOf(step: FlowStep, checks: ValidityChecks): Generator<VersionProblem> {
  if (isSkipped(step)) return;
  for (const message of [...settingsProblems(step, checks), ...checks.expressionProblems(templatesOf(step))])
    yield { stepName: step.name, severity: 'error', message };
}

function settingsProblems(step: FlowStep, checks: ValidityChecks): readonly string[] {
  switch (step.type) {
    case 'EMPTY':
      return ['The flow has no trigger yet.'];
    case 'PIECE_TRIGGER':
    case 'PIECE':
      return pieceProblems(step, checks.pieces);
    case 'CODE':
      return step.settings.sourceCode.code.trim() === '' ? ['The step has no code.'] : checks.codeProblems(step);
    case 'LOOP_ON_ITEMS':
      return step.settings.items === '' ? ['The loop has no items.'] : [];
    case 'ROUTER':
      return step.settings.branches.length === 0 ? ['The router has no branches.'] : [];
  }
}

function pieceProblems({ type, settings }: PieceTrigger | PieceAction, pieces: PieceCatalogue): readonly string[] {
  const { pieceName, pieceVersion, input } = settings;
  const [kind, name] = type === 'PIECE' ? ['action', settings.actionName] : ['trigger', settings.triggerName];
  if (pieceName === '' || name === '') return [`No piece and ${kind} are chosen.`];
  const entry =
    type === 'PIECE'
      ? pieces.findAction(pieceName, pieceVersion, name)
      : pieces.findTrigger(pieceName, pieceVersion, name);
  return entry ? entry.inputProblems(input) : [`There is no ${kind} ${name} in a piece ${pieceName} ${pieceVersion}.`];
}

/** The part of a step's settings in which expressions are resolved. Code is not: its braces are its own. */
function templatesOf(step: FlowStep): unknown {
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
  for (const name of stepReferences(templatesOf(step))) {
    if (earlier.has(name)) continue;
    const message = all.has(name)
      ? `It refers to the step ${name}, which comes later.`
      : `It refers to ${name}, and there is no such step.`;
    yield { stepName: step.name, severity: 'warning', message };
  }
}

/** Steps come in the order in which they run, so what was seen before is what a step can refer to. */
function referenceWarnings(steps: readonly FlowStep[]): VersionProblem[] {
  const all = new Set(steps.map((step) => step.name));
  const earlier = new Set<string>();
  return steps.flatMap((step) => {
    const warnings = isSkipped(step) ? [] : [...referenceWarningsOf(step, earlier, all)];
    earlier.add(step.name);
    return warnings;
  });
}

const isSkipped = (step: FlowStep): boolean => 'skip' in step && (step as FlowAction).skip === true;
