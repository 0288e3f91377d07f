import {
  checkVersion,
  PieceCatalogue,
  stepsOf,
  type CheckedVersion,
  type CodeAction,
  type FlowStep,
  type FlowVersion,
} from '@millrace/domain';
import { findExpressionProblems } from '@millrace/engine';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { CodeCompiler } from './code-compiler';

/** More at once would only take turns on the same cores. */
const COMPILED_AT_ONCE = 4;

/** Gives the validity rule what it asks for: the pieces there are, the expression parser and the code compiler. */
@Injectable()
export class VersionChecker {
  constructor(
    private readonly pieces: PieceCatalogue,
    private readonly compiler: CodeCompiler,
  ) {}

  readonly check = async (version: FlowVersion): Promise<CheckedVersion> => {
    const codeProblems = await this.compile(version.trigger);
    return checkVersion(version, {
      pieces: this.pieces,
      expressionProblems: (value) => findExpressionProblems(value).map(({ message }) => message),
      codeProblems: (step) => codeProblems.get(step.name) ?? [],
    });
  };

  /** What is wrong with the source of each code step, by step name. The same source is compiled once. */
  async compile(first: FlowStep): Promise<Map<string, string[]>> {
    const codeSteps = [...stepsOf(first)].filter((step): step is CodeAction => step.type === 'CODE' && !step.skip);
    const limit = pLimit(COMPILED_AT_ONCE);
    const compiled = codeSteps.map((step) =>
      limit(async () => [step.name, await this.compiler.problemsOf(step.settings.sourceCode)] as const),
    );
    return new Map(await Promise.all(compiled));
  }
}
