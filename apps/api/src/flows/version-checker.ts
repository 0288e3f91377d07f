import {
  checkVersion,
  FlowOperationInvalidError,
  FlowVersionInvalidError,
  hideSecrets,
  PieceCatalogue,
  referredSecrets,
  stepsOf,
  redactSecrets,
  type CheckedVersion,
  type CodeAction,
  type FlowStep,
  type FlowSurroundings,
  type FlowTrigger,
  type FlowVersion,
  type PopulatedFlow,
  type SecretPath,
  type TriggerSecret,
  type VersionProblem,
} from '@millrace/domain';
import { expressionProblemSentence, findExpressionProblems } from '@millrace/engine';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { PiecesInFlows } from '../pieces/pieces-in-flows';
import { CodeCompiler } from './code-compiler';

/** More compilations at once would only compete for the same cores. */
const COMPILED_AT_ONCE = 4;

/** A version of a flow, and the project for which its packages are installed. */
type VersionOfProject = Pick<PopulatedFlow, 'projectId' | 'version'>;

/**
 * Checks versions with the validity rule, and gives the rule the pieces, the expression parser and the code compiler.
 */
@Injectable()
export class VersionChecker {
  constructor(
    private readonly pieces: PieceCatalogue,
    private readonly compiler: CodeCompiler,
    private readonly piecesInFlows: PiecesInFlows,
  ) {}

  /**
   * Does what takes long of a check: compiles code, and installs the packages of pieces. A check that follows takes the
   * results, so that it can be made under a lock. `others` are steps that were compiled before.
   */
  async prepare(projectId: string, first: FlowStep, ...others: readonly FlowStep[]): Promise<void> {
    await Promise.all([this.compile(first), this.piecesInFlows.know(projectId, first, ...others)]);
  }

  async check({ projectId, version }: VersionOfProject): Promise<CheckedVersion> {
    await this.piecesInFlows.knowMissing(projectId, version.trigger);
    return this.checkKnown(version);
  }

  /**
   * Keeps the packages of a version that is about to be published. Throws FlowVersionInvalidError when one was removed
   * since the version was checked.
   */
  async keepPackages(version: FlowVersion, surroundings: Pick<FlowSurroundings, 'keepPackages'>): Promise<void> {
    const problems = await this.piecesInFlows.keep(version.trigger, surroundings);
    if (problems.length > 0) throw new FlowVersionInvalidError(version.id, problems);
  }

  private async checkKnown(version: FlowVersion): Promise<CheckedVersion> {
    const codeProblems = await this.compile(version.trigger);
    return checkVersion(version, {
      pieces: this.pieces,
      expressionProblems: (value) => findExpressionProblems(value).map(expressionProblemSentence),
      codeProblems: (step) => codeProblems.get(step.name) ?? [],
    });
  }

  /**
   * Checks versions of one flow under its lock, after replacing the secrets of their triggers by references. `prepare` has
   * installed their packages before. The secrets that are new are put into `made`. `previous` is the flow's version before the change. The check rejects with
   * FlowOperationInvalidError for a new secret that can only fail.
   */
  checkHiding(
    previous: FlowVersion,
    surroundings: Pick<FlowSurroundings, 'knownSecrets'>,
    made: TriggerSecret[],
  ): (version: FlowVersion) => Promise<CheckedVersion> {
    return async (version) => {
      await this.piecesInFlows.knowInstalled(version.trigger);
      const paths = this.secretPathsOf(version.trigger);
      if (paths.length === 0) return this.checkKnown(version);
      const ids = await surroundings.knownSecrets([...referredSecrets(version.trigger.settings['input'])]);
      const hidden = hideSecrets(version.trigger, paths, { previous: previous.trigger, ids }, newId);
      this.assertUsable(version.trigger, hidden.trigger);
      made.push(...hidden.made);
      return this.checkKnown({ ...version, trigger: hidden.trigger });
    };
  }

  /**
   * Throws FlowOperationInvalidError for a secret that can only fail. A later check could not find it, because it sees
   * the reference.
   */
  private assertUsable(written: FlowTrigger, hidden: FlowTrigger): void {
    const remaining = this.inputProblemsOf(hidden);
    const [ofSecret] = this.inputProblemsOf(written).filter((problem) => !remaining.includes(problem));
    if (ofSecret !== undefined) throw new FlowOperationInvalidError(ofSecret);
  }

  private inputProblemsOf({ type, settings }: FlowTrigger): readonly string[] {
    if (type === 'EMPTY') return [];
    const { pieceName, pieceVersion, triggerName, input } = settings;
    return this.pieces.findTrigger(pieceName, pieceVersion, triggerName)?.inputProblems(input) ?? [];
  }

  /** The version without the secrets of its trigger, for a copy that belongs to no flow or to another one. */
  withoutSecrets(version: FlowVersion): FlowVersion {
    return { ...version, trigger: redactSecrets(version.trigger, this.secretPathsOf(version.trigger)) };
  }

  private secretPathsOf(trigger: FlowTrigger): readonly SecretPath[] {
    if (trigger.type === 'EMPTY') return [];
    const { pieceName, pieceVersion, triggerName } = trigger.settings;
    return this.pieces.findTrigger(pieceName, pieceVersion, triggerName)?.secretInputs ?? [];
  }

  /** Throws FlowVersionInvalidError with the errors that `concerns` selects. */
  async assertTestable(
    flow: VersionOfProject,
    refusal: string,
    concerns: (problem: VersionProblem) => boolean = () => true,
  ): Promise<void> {
    const { version } = flow;
    const { problems } = await this.check(flow);
    const errors = problems.filter((problem) => problem.severity === 'error' && concerns(problem));
    const named = errors.map(({ stepName, message }) => ({ stepName, message }));
    if (named.length > 0) throw new FlowVersionInvalidError(version.id, named, refusal);
  }

  /** Returns the problems of each code step's source, by step name. The same source is compiled once. */
  private async compile(first: FlowStep): Promise<Map<string, string[]>> {
    const codeSteps = [...stepsOf(first)].filter((step): step is CodeAction => step.type === 'CODE' && !step.skip);
    const limit = pLimit(COMPILED_AT_ONCE);
    const compiled = codeSteps.map((step) =>
      limit(async () => [step.name, await this.compiler.problemsOf(step.settings.sourceCode)] as const),
    );
    return new Map(await Promise.all(compiled));
  }
}
