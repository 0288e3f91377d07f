import type { BranchOperator, FlowAction } from '@millrace/domain';
import { codeStep, loop, type ShortStep } from '@millrace/domain/testing';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// Reads the rows of `tests/cases` that test the engine. The README there explains them.

export interface OperatorCase {
  operator: BranchOperator;
  firstValue: unknown;
  secondValue?: unknown;
  caseSensitive?: boolean;
  holds: boolean;
  why?: string;
}

export interface ExpressionCase {
  why: string;
  template: unknown;
  gives: unknown;
  outputs?: Record<string, unknown>;
  loops?: { name: string; items: unknown }[];
  after?: boolean;
}

export interface StepOptionsCase {
  name: string;
  payload: unknown;
  steps: ShortStep[];
  status: 'SUCCEEDED' | 'FAILED';
  stepsCount: number;
  failedStep?: string;
  failure?: string;
  results: Record<string, { status: string; output?: unknown; attempts?: number; errorMessage?: string }>;
  absent?: string[];
  slow?: boolean;
}

export const operatorCases = casesIn('operators.json') as OperatorCase[];
export const expressionCases = casesIn('expressions.json') as {
  outputs: Record<string, unknown>;
  rows: ExpressionCase[];
};
export const stepOptionsCases = casesIn('step-options.json') as StepOptionsCase[];

/** The steps of a row: those that its template reads, and the step `given`, whose input resolves the template. */
export function stepsOfExpressionCase({ template, outputs, loops = [], after }: ExpressionCase): FlowAction[] {
  const before = Object.entries(outputs ?? expressionCases.outputs).map(([name, value]) =>
    codeStep(name, {}, `export const code = () => (${JSON.stringify(value)});`),
  );
  const given = codeStep('given', { value: template });
  const innermost = loops.at(-1)?.name ?? '';
  const inside = codeStep('inside', { item: `{{ ${innermost}.item }}`, index: `{{ ${innermost}.index }}` });
  const inLoops = loops.reduceRight<FlowAction>(
    (body, { name, items }) => loop(name, items, [body]),
    after ? inside : given,
  );
  return after ? [...before, inLoops, given] : [...before, inLoops];
}

function casesIn(file: string): unknown {
  return JSON.parse(readFileSync(resolve(__dirname, '../../../../tests/cases', file), 'utf8'));
}
