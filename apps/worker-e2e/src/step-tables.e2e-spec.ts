import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BranchCondition, FlowAction } from '@millrace/domain';
import { branch, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

// Executes the tables of tests/cases once through the whole service. The engine's own specs execute them in
// milliseconds.

interface OperatorRow {
  operator: BranchCondition['operator'];
  firstValue: unknown;
  secondValue?: unknown;
  caseSensitive?: boolean;
  holds: boolean;
}

interface ExpressionRow {
  why: string;
  template: unknown;
  gives: unknown;
  outputs?: Record<string, unknown>;
  loops?: { name: string; items: unknown }[];
  after?: boolean;
}

interface StepOptions {
  continueOnFailure?: boolean;
  retryOnFailure?: boolean;
}

type TableStep = { name: string; skip?: boolean } & (
  | ({ code?: string; input?: Record<string, unknown> } & StepOptions)
  | { items: unknown; body: TableStep[] }
  | { all?: boolean; branches: { name: string; when: unknown; steps: TableStep[] }[] }
);

interface Wanted {
  status?: string;
  output?: unknown;
  attempts?: number;
}

interface OptionsRow {
  name: string;
  payload: unknown;
  steps: TableStep[];
  status: string;
  stepsCount: number;
  failedStep?: string;
  failure?: string;
  results: Record<string, Wanted & { errorMessage?: string }>;
  absent?: string[];
}

type Results = NonNullable<RunAnswer['steps']>;

const ROWS_OF_A_ROUTER = 50;
const ECHO = 'export const code = (inputs) => inputs;';

const tableIn = <Table>(name: string): Table =>
  JSON.parse(readFileSync(join(__dirname, `../../../tests/cases/${name}.json`), 'utf8')) as Table;

const operators = tableIn<OperatorRow[]>('operators');
const expressions = tableIn<{ outputs: Record<string, unknown>; rows: ExpressionRow[] }>('expressions');
const options = tableIn<OptionsRow[]>('step-options');

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

// Operators

const routerOf = (rows: OperatorRow[], index: number): FlowAction =>
  router(
    `router_${index}`,
    rows.map(({ operator, firstValue, secondValue, caseSensitive }) => {
      const condition = {
        operator,
        firstValue,
        ...(secondValue !== undefined && { secondValue }),
        ...(caseSensitive !== undefined && { caseSensitive }),
      };
      return branch('Row', [[condition]]);
    }),
    { executionType: 'EXECUTE_ALL_MATCH' },
  );

const evaluationsOf = (results: Results, index: number): boolean[] =>
  (results[`router_${index}`]?.output as { branches: { evaluation: boolean }[] }).branches.map(
    ({ evaluation }) => evaluation,
  );

// Expressions

/**
 * Makes a step whose source holds the output as JSON text, because `JSON.parse` treats `__proto__` as an ordinary key.
 */
const givingStep = (name: string, output: unknown): FlowAction =>
  codeStep(name, {}, `export const code = () => JSON.parse(${JSON.stringify(JSON.stringify(output))});`);

const echoStep = (name: string, { template }: ExpressionRow): FlowAction => codeStep(name, { value: template }, ECHO);

const inLoops = (loops: NonNullable<ExpressionRow['loops']>, body: FlowAction): FlowAction =>
  loops.reduceRight((inner, { name, items }) => loop(name, items, [inner]), body);

function stepsOfLoopRow(row: ExpressionRow): FlowAction[] {
  const { loops = [], after = false } = row;
  if (!after) return [inLoops(loops, echoStep('row', row))];
  const innermost = loops.at(-1)?.name ?? '';
  const inside = codeStep('inside', { item: `{{ ${innermost}.item }}`, index: `{{ ${innermost}.index }}` }, ECHO);
  return [inLoops(loops, inside), echoStep('row', row)];
}

/** Returns the value that the step received; inside loops, in the last iteration. */
function valueOf(results: Results, name: string, loops: readonly string[]): unknown {
  const last = loops.reduce<Results | undefined>(
    (inside, loopName) => (inside?.[loopName]?.output as { iterations: Results[] } | undefined)?.iterations.at(-1),
    results,
  );
  const result = last?.[name];
  if (result?.status !== 'SUCCEEDED') return { instead: result };
  return (result.output as { value: unknown }).value;
}

// Step options

const isTrue = (firstValue: unknown): BranchCondition[][] => [[{ firstValue, operator: 'BOOLEAN_IS_TRUE' }]];

function stepOf(step: TableStep): FlowAction {
  const { name, skip } = step;
  const more = skip === undefined ? {} : { skip };
  if ('body' in step) return loop(name, step.items, step.body.map(stepOf), more);
  if ('branches' in step) {
    const branches = step.branches.map(({ name: branchName, when, steps }) =>
      when === 'else' ? fallback(steps.map(stepOf), branchName) : branch(branchName, isTrue(when), steps.map(stepOf)),
    );
    return router(name, branches, { ...more, executionType: step.all ? 'EXECUTE_ALL_MATCH' : 'EXECUTE_FIRST_MATCH' });
  }
  const { continueOnFailure, retryOnFailure } = step;
  const errorHandlingOptions = {
    ...(continueOnFailure !== undefined && { continueOnFailure: { value: continueOnFailure } }),
    ...(retryOnFailure !== undefined && { retryOnFailure: { value: retryOnFailure } }),
  };
  return codeStep(name, step.input, step.code ?? ECHO, { ...more, errorHandlingOptions });
}

/** Returns the result at a path such as `each[0].step`. Iterations count from 0. */
function resultAt(results: Results, path: string): Results[string] | undefined {
  const [, loopName, index, rest] = /^(\w+)\[(\d+)\]\.(.+)$/.exec(path) ?? [];
  if (loopName === undefined || rest === undefined) return results[path];
  const { iterations } = (results[loopName]?.output ?? { iterations: [] }) as { iterations: Results[] };
  return resultAt(iterations[Number(index)] ?? {}, rest);
}

/** Returns the part of the result that the row describes. Other rows check the iterations that it leaves out. */
function partOf(shown: Results[string] | undefined, wanted: Wanted): object {
  const part = Object.fromEntries(Object.entries(shown ?? {}).filter(([key]) => key in wanted));
  if (shown?.type !== 'LOOP_ON_ITEMS' || !('output' in wanted) || hasIterations(wanted.output)) return part;
  const { iterations: _, ...position } = shown.output as { iterations: unknown };
  return { ...part, output: position };
}

const hasIterations = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && 'iterations' in output;

describe('the tables of tests/cases, through the whole service', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Tables');
  });

  async function started(steps: FlowAction[], payload: unknown = {}): Promise<string> {
    const { id } = await client.publishFlow(project, 'Table', webhookTrigger(steps));
    return (await client.sendWebhook(id, payload)).body.id;
  }

  async function resultsOf(steps: FlowAction[]): Promise<Results> {
    const run = await client.endedRun(await started(steps), 60_000);
    expect(run).toMatchObject({ status: 'SUCCEEDED' });
    return run.steps ?? {};
  }

  it('operators hold as conditions of routers', async () => {
    const routers = chunks(operators, ROWS_OF_A_ROUTER);
    const results = await resultsOf(routers.map(routerOf));
    const held = routers.flatMap((_, index) => evaluationsOf(results, index));

    expect(operators.map((row, index) => ({ ...row, holds: held[index] }))).toEqual(operators);
  });

  it('expressions give what they should, after steps with these outputs', async () => {
    const plain = expressions.rows.filter(({ outputs, loops }) => !outputs && !loops);
    const results = await resultsOf([
      ...Object.entries(expressions.outputs).map(([name, output]) => givingStep(name, output)),
      ...plain.map((row, index) => echoStep(`row_${index}`, row)),
    ]);

    const given = plain.map((row, index) => ({ ...row, gives: valueOf(results, `row_${index}`, []) }));
    expect(given).toEqual(plain);
  });

  describe('expressions with outputs or loops of their own', () => {
    const rows = expressions.rows.filter(({ outputs, loops }) => outputs || loops);
    const runs = new Map<ExpressionRow, Promise<Results>>();

    beforeAll(() => {
      for (const row of rows) {
        const outputs = Object.entries(row.outputs ?? expressions.outputs);
        const results = resultsOf([
          ...outputs.map(([name, output]) => givingStep(name, output)),
          ...stepsOfLoopRow(row),
        ]);
        results.catch(() => undefined); // the test of the row awaits it
        runs.set(row, results);
      }
    });

    it.each(rows.map((row) => [row.why, row] as const))('%s', async (_, row) => {
      const loops = row.after ? [] : (row.loops ?? []).map(({ name }) => name);

      expect(valueOf((await runs.get(row)) ?? {}, 'row', loops)).toEqual(row.gives);
    });
  });

  describe('options of steps', () => {
    const runs = new Map<OptionsRow, Promise<RunAnswer>>();

    beforeAll(() => {
      for (const row of options) {
        const run = started(row.steps.map(stepOf), row.payload).then((id) => client.endedRun(id, 60_000));
        run.catch(() => undefined); // the test of the row awaits it
        runs.set(row, run);
      }
    });

    it.each(options.map((row) => [row.name, row] as const))('%s', async (_, row) => {
      const run = (await runs.get(row)) as RunAnswer;
      const steps = run.steps ?? {};

      expect(run).toMatchObject({ status: row.status, stepsCount: row.stepsCount });
      expect(run.failedStep?.name).toBe(row.failedStep);
      if (row.failure !== undefined) expect(run.failedStep?.message).toContain(row.failure);
      for (const [path, { errorMessage, ...wanted }] of Object.entries(row.results)) {
        const shown = resultAt(steps, path);
        expect([path, partOf(shown, wanted)]).toEqual([path, wanted]);
        if (errorMessage !== undefined) expect(shown?.errorMessage).toContain(errorMessage);
      }
      for (const path of row.absent ?? []) expect([path, resultAt(steps, path)]).toEqual([path, undefined]);
    });
  });
});
