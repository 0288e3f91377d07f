import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BranchOperator, FlowAction } from '../flows/flow-version';
import { codeStep, loop } from './a-flow-version';
import type { ShortStep } from './steps-in-short';

// Reads the cases of `tests/cases` about steps. The README there explains them. The engine tries them in milliseconds,
// and the whole service over HTTP.

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

export interface ExpressionCases {
  outputs: Readonly<Record<string, unknown>>;
  rows: ExpressionCase[];
}

export const operatorCases = (): OperatorCase[] => casesIn('operators.json') as OperatorCase[];
export const expressionCases = (): ExpressionCases => casesIn('expressions.json') as ExpressionCases;
export const stepOptionsCases = (): StepOptionsCase[] => casesIn('step-options.json') as StepOptionsCase[];

/** The steps of a row: those that its template reads, and the step `given`, whose input resolves the template. */
export function stepsOfExpressionCase(
  { template, outputs, loops = [], after }: ExpressionCase,
  defaultOutputs: ExpressionCases['outputs'],
): FlowAction[] {
  const before = stepsWithOutputs(outputs ?? defaultOutputs);
  const given = codeStep('given', { value: template });
  const innermost = loops.at(-1)?.name ?? '';
  const inside = codeStep('inside', { item: `{{ ${innermost}.item }}`, index: `{{ ${innermost}.index }}` });
  const inLoops = loops.reduceRight<FlowAction>(
    (body, { name, items }) => loop(name, items, [body]),
    after ? inside : given,
  );
  return after ? [...before, inLoops, given] : [...before, inLoops];
}

/**
 * Steps that return these outputs. Their sources hold the outputs as JSON text, because `JSON.parse` treats `__proto__`
 * as an ordinary key.
 */
export const stepsWithOutputs = (outputs: Readonly<Record<string, unknown>>): FlowAction[] =>
  Object.entries(outputs).map(([name, output]) =>
    codeStep(name, {}, `export const code = () => JSON.parse(${JSON.stringify(JSON.stringify(output))});`),
  );

function casesIn(file: string): unknown {
  return JSON.parse(readFileSync(resolve(__dirname, '../../../../tests/cases', file), 'utf8'));
}
