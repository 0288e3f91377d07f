import type { FlowAction } from '@millrace/domain';
import {
  branch,
  codeStep,
  expressionCases,
  operatorCases,
  resultAt,
  router,
  stepOptionsCases,
  stepsInShort,
  stepsOfExpressionCase,
  stepsWithOutputs,
  webhookTrigger,
  type ExpressionCase,
  type OperatorCase,
  type StepOptionsCase,
} from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

// Executes the tables of tests/cases once through the whole service. The engine's own specs execute them in
// milliseconds.

type Results = NonNullable<RunAnswer['steps']>;

const ROWS_OF_A_ROUTER = 50;

const operators = operatorCases();
const expressions = expressionCases();
const options = stepOptionsCases();

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

// Operators

const routerOf = (rows: OperatorCase[], index: number): FlowAction =>
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

type Wanted = Omit<StepOptionsCase['results'][string], 'errorMessage'>;

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
      ...stepsWithOutputs(expressions.outputs),
      ...plain.map(({ template }, index) => codeStep(`row_${index}`, { value: template })),
    ]);

    const given = plain.map((row, index) => ({ ...row, gives: valueOf(results, `row_${index}`, []) }));
    expect(given).toEqual(plain);
  });

  describe('expressions with outputs or loops of their own', () => {
    const rows = expressions.rows.filter(({ outputs, loops }) => outputs || loops);
    const runs = new Map<ExpressionCase, Promise<Results>>();

    beforeAll(() => {
      for (const row of rows) {
        const results = resultsOf(stepsOfExpressionCase(row, expressions.outputs));
        results.catch(() => undefined); // the test of the row awaits it
        runs.set(row, results);
      }
    });

    it.each(rows.map((row) => [row.why, row] as const))('%s', async (_, row) => {
      const loops = row.after ? [] : (row.loops ?? []).map(({ name }) => name);

      expect(valueOf((await runs.get(row)) ?? {}, 'given', loops)).toEqual(row.gives);
    });
  });

  describe('options of steps', () => {
    const runs = new Map<StepOptionsCase, Promise<RunAnswer>>();

    beforeAll(() => {
      for (const row of options) {
        const run = started(stepsInShort(row.steps), row.payload).then((id) => client.endedRun(id, 60_000));
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
