import {
  connectionsUsedBy,
  isBranchOperator,
  CONTROL_NAMES,
  controlKeys,
  stepsOf,
  TRIGGER,
  type CodeAction,
  type ControlSettings,
  type FlowAction,
  type FlowTrigger,
  type FlowVersion,
  type LoopAction,
  type PieceAction,
  type RouterAction,
  type RouterBranch,
} from '@millrace/domain';
import type { GuestProgram } from '../ports/code-runner';
import { expressionProblemSentence } from '../expressions/syntax';
import { compileTemplate, TemplateBuilder, type Template } from '../expressions/template';
import { guestProgram } from '../ports/guest-program';

// Compiles a flow version into the form that runs walk. A compiled flow never changes and holds no data of any run, so
// the caller may keep it for as long as the version exists.
//
// C1. Skipped steps and their bodies are kept in a list of their own, because only a step test executes them.
//     In expressions, the name of a skipped step means a step without a result.
// C2. Compiling never throws for a problem in the settings of a step. The problem is kept with the step and fails it
//     when a run reaches it.

export interface CompiledFlow {
  versionId: string;
  trigger: CompiledTrigger;
  steps: readonly CompiledStep[];
  skipped: readonly CompiledStep[];
  /** The external ids of the connections that expressions of the flow name. */
  connectionIds: readonly string[];
  /** The names of the loops whose iterations some expression outside their body may read. */
  loopsReadWhole: ReadonlySet<string>;
  /** When runs of the flow may begin; null when nothing limits them. */
  control: CompiledControl | null;
}

export interface CompiledTrigger {
  name: string;
  displayName: string;
  isEmpty: boolean;
  /** The trigger as its version has it, without the steps of the flow. */
  written: FlowTrigger;
}

export interface CompiledControl {
  settings: ControlSettings;
  /** An object with the key of each control that has one. */
  keys: Template;
}

interface CompiledBase {
  name: string;
  displayName: string;
  input: Template;
  /** Why this step cannot run with its settings. Null when it can. */
  problem: string | null;
}

interface CompiledAction extends CompiledBase {
  continuesOnFailure: boolean;
  retriesOnFailure: boolean;
}

export interface CompiledCodeStep extends CompiledAction {
  type: 'CODE';
  program: GuestProgram;
}

export interface CompiledPieceStep extends CompiledAction {
  type: 'PIECE';
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  /** The input as the author wrote it. */
  written: Readonly<Record<string, unknown>>;
  /** What editors note of the inputs. Absent where they note nothing. */
  propertySettings?: Readonly<Record<string, unknown>>;
}

/** `nesting` counts the containers from the outermost to this one. It is 1 for a loop outside all others. */
export interface CompiledLoop extends CompiledBase {
  type: 'LOOP_ON_ITEMS';
  nesting: number;
  body: readonly CompiledStep[];
}

export interface CompiledRouter extends CompiledBase {
  type: 'ROUTER';
  nesting: number;
  takesAllMatches: boolean;
  branchNames: readonly string[];
  children: readonly (readonly CompiledStep[])[];
}

export type CompiledStep = CompiledCodeStep | CompiledPieceStep | CompiledLoop | CompiledRouter;

export function compileFlowVersion(version: FlowVersion): CompiledFlow {
  const { trigger } = version;
  const compiler = new VersionCompiler(new Set(Array.from(stepsOf(trigger), (step) => step.name)));
  return {
    versionId: version.id,
    trigger: compileTrigger(trigger),
    steps: compiler.compileChain(trigger.nextAction, { loops: [], nesting: 0, isSkipped: false }),
    skipped: compiler.skipped,
    connectionIds: connectionsUsedBy(version),
    loopsReadWhole: compiler.readWhole,
    control: compileControl(trigger),
  };
}

function compileTrigger({ nextAction: _, ...written }: FlowTrigger): CompiledTrigger {
  const { name, displayName, type } = written;
  return { name, displayName, isEmpty: type === 'EMPTY', written };
}

/** Keys see the trigger, under its own name and under the usual one, and the run. */
function compileControl(trigger: FlowTrigger): CompiledControl | null {
  if (trigger.type !== 'PIECE_TRIGGER' || !CONTROL_NAMES.some((name) => trigger.settings[name])) return null;
  const keys = compileTemplate(controlKeys(trigger.settings), new Set([trigger.name, TRIGGER]));
  return { settings: trigger.settings, keys };
}

/** The surroundings of a step: the loops around it, the number of its containers, and whether it is skipped. */
interface Surroundings {
  loops: readonly string[];
  nesting: number;
  isSkipped: boolean;
}

class VersionCompiler {
  readonly readWhole = new Set<string>();
  readonly skipped: CompiledStep[] = [];

  constructor(private readonly stepNames: ReadonlySet<string>) {}

  compileChain(first: FlowAction | null | undefined, around: Surroundings): CompiledStep[] {
    const steps: CompiledStep[] = [];
    for (let step = first; step; step = step.nextAction) {
      const isSkipped = around.isSkipped || step.skip === true;
      const compiled = this.compileStep(step, isSkipped === around.isSkipped ? around : { ...around, isSkipped });
      if (!isSkipped) this.noteLoopsReadWhole(compiled.input, around.loops);
      if (isSkipped && !around.isSkipped) this.skipped.push(compiled);
      else steps.push(compiled);
    }
    return steps;
  }

  private compileStep(step: FlowAction, around: Surroundings): CompiledStep {
    switch (step.type) {
      case 'CODE':
        return this.compileCode(step);
      case 'PIECE':
        return this.compilePiece(step);
      case 'LOOP_ON_ITEMS':
        return this.compileLoop(step, around);
      case 'ROUTER':
        return this.compileRouter(step, around);
    }
  }

  private compileCode(step: CodeAction): CompiledCodeStep {
    const { code, packageJson } = step.settings.sourceCode;
    return { ...this.compileAction(step), type: 'CODE', program: guestProgram({ kind: 'code', code, packageJson }) };
  }

  private compilePiece(step: PieceAction): CompiledPieceStep {
    const { pieceName, pieceVersion, actionName, input: written, propertySettings } = step.settings;
    const noted = Object.keys(propertySettings ?? {}).length > 0 && { propertySettings };
    return { ...this.compileAction(step), type: 'PIECE', pieceName, pieceVersion, actionName, written, ...noted };
  }

  private compileLoop(step: LoopAction, around: Surroundings): CompiledLoop {
    const nesting = around.nesting + 1;
    const input = compileTemplate({ items: step.settings.items ?? null }, this.stepNames);
    const body = this.compileChain(step.firstLoopAction, {
      ...around,
      loops: [...around.loops, step.name],
      nesting,
    });
    return { ...named(step, input), type: 'LOOP_ON_ITEMS', nesting, body };
  }

  private compileRouter(step: RouterAction, around: Surroundings): CompiledRouter {
    const nesting = around.nesting + 1;
    const { branches, executionType } = step.settings;
    return {
      ...named(step, this.compileBranches(branches), unknownOperator(branches)),
      type: 'ROUTER',
      nesting,
      takesAllMatches: executionType === 'EXECUTE_ALL_MATCH',
      branchNames: branches.map(({ branchName }) => branchName),
      children: branches.map((_, index) => this.compileChain(step.children[index], { ...around, nesting })),
    };
  }

  /**
   * Only the two values of a condition are templates. The name of a branch is not, so a branch may be called `{{ x }}`.
   */
  private compileBranches(branches: readonly RouterBranch[]): Template {
    const template = new TemplateBuilder(this.stepNames);
    return template
      .addList('{"branches":[', branches, ']}', (branch) => {
        const { branchType, branchName } = branch;
        template.addText(`{"branchType":${JSON.stringify(branchType)},"branchName":${JSON.stringify(branchName)}`);
        if (branch.branchType === 'CONDITION') {
          template.addText(',"conditions":').addList('[', branch.conditions, ']', (group) =>
            template.addList('[', group, ']', ({ firstValue, secondValue, ...rest }) => {
              template.addText(`${JSON.stringify(rest).slice(0, -1)},"firstValue":`).addValue(firstValue ?? null);
              if (secondValue !== undefined) template.addText(',"secondValue":').addValue(secondValue);
              template.addText('}');
            }),
          );
        }
        template.addText('}');
      })
      .build();
  }

  private compileAction(step: CodeAction | PieceAction): CompiledAction {
    const { errorHandlingOptions, input } = step.settings;
    return {
      ...named(step, compileTemplate(input ?? {}, this.stepNames)),
      continuesOnFailure: errorHandlingOptions?.continueOnFailure?.value === true,
      retriesOnFailure: errorHandlingOptions?.retryOnFailure?.value === true,
    };
  }

  /** Inside the body of a loop its name means the current iteration, so only expressions outside the body count. */
  private noteLoopsReadWhole({ references }: Template, around: readonly string[]): void {
    for (const { head, keys } of references)
      if (keys[0] !== 'item' && keys[0] !== 'index' && !around.includes(head)) this.readWhole.add(head);
  }
}

function named(step: FlowAction, input: Template, problem: string | null = null): CompiledBase {
  const [broken] = input.problems;
  const syntax = broken && expressionProblemSentence(broken);
  return { name: step.name, displayName: step.displayName, input, problem: syntax ?? problem };
}

function unknownOperator(branches: readonly RouterBranch[]): string | null {
  const conditions = branches.flatMap((branch) => (branch.branchType === 'CONDITION' ? branch.conditions.flat() : []));
  const unknown = conditions.find(({ operator }) => !isBranchOperator(operator));
  return unknown ? `There is no operator called ${unknown.operator}.` : null;
}
