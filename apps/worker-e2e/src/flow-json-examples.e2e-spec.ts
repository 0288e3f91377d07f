import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BRANCH_OPERATORS, FLOW_OPERATION_TYPES, stepsOf, type FlowAction, type FlowTrigger } from '@millrace/domain';
import { branch, codeStep, router, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';
import { codeSpansIn, examplesIn, jsonBlocksIn, tableUnder, type MarkdownExample } from './markdown-examples';

// These tests execute the examples of the reference of the flow JSON. An example has one of these kinds:
//
//   flow         A whole definition, which is imported into a new flow. Options: `valid` (default true), options of a
// run
//   step         An action, treated as `flow` behind a webhook trigger
//   expressions  A table `written | gives`; one code step gets everything that is written. Option: `payload`
//   operators    A table: the first cell is an operator, the last two cells are values for which it holds and does not
//
// The examples after one of these are about the same flow:
//
//   operation    A request that is answered 200. Options: `steps` (their names afterwards, in order), options of a run
//   refused      A request that is refused. Options: `status`, `code`
//   result       The result of a step in the last run. Option: `of`
//   output       The output of a step in the last run. Option: `of`
//   problems     The answer of the check of the flow
//
// The options of a run: `payload` publishes the flow and calls its webhook with it, `outputs` are the whole outputs of
// steps, and `status` is the run's.

const MARKDOWN = readFileSync(join(__dirname, '../../../docs/flow-json.md'), 'utf8');
const BEGINNINGS = ['flow', 'step', 'expressions', 'operators'];
const FOLLOWERS = ['operation', 'refused', 'result', 'output', 'problems'];

interface Definition {
  displayName: string;
  trigger: FlowTrigger;
  schemaVersion: string;
  notes: unknown[];
}

interface FlowAnswer {
  id: string;
  version: { valid: boolean; trigger: FlowTrigger };
}

/** An example that makes a flow, with the examples that continue it. */
type Story = [title: string, first: MarkdownExample, followers: MarkdownExample[]];

const examples = examplesIn(MARKDOWN);

const stories = examples.reduce<Story[]>((found, example) => {
  if (BEGINNINGS.includes(example.kind)) return [...found, [titleOf(example), example, []]];
  found.at(-1)?.[2].push(example);
  return found;
}, []);

function titleOf({ heading, kind, line }: MarkdownExample): string {
  return `${heading} (${kind}, line ${line})`;
}

const definitionOf = (trigger: FlowTrigger): Definition => ({
  displayName: 'An example',
  trigger,
  schemaVersion: '20',
  notes: [],
});

/** Returns the values in a cell of the operator table: one or two, as JSON, in each code span. */
const operandsIn = (cell: string): unknown[][] => codeSpansIn(cell).map((code) => JSON.parse(`[${code}]`) as unknown[]);

interface OperatorCase {
  operator: (typeof BRANCH_OPERATORS)[number];
  operands: unknown[];
  holds: boolean;
}

function operatorCases(rows: MarkdownExample['rows']): OperatorCase[] {
  return rows.flatMap((row) =>
    codeSpansIn(row[0] ?? '').flatMap((name) =>
      [true, false].flatMap((holds) =>
        operandsIn(row.at(holds ? -2 : -1) ?? '').map((operands) => ({
          operator: name as OperatorCase['operator'],
          operands,
          holds,
        })),
      ),
    ),
  );
}

function operatorsFlow(rows: MarkdownExample['rows']): FlowTrigger {
  const branches = operatorCases(rows).map(({ operator, operands: [firstValue, secondValue] }) =>
    branch('Case', [[{ operator, firstValue, ...(secondValue !== undefined && { secondValue }) }]]),
  );
  return webhookTrigger([router('operators', branches, { executionType: 'EXECUTE_ALL_MATCH' })]);
}

function definitionIn({ kind, json, rows }: MarkdownExample): Definition {
  if (kind === 'flow') return json as Definition;
  if (kind === 'step') return definitionOf(webhookTrigger([json as FlowAction]));
  if (kind === 'operators') return definitionOf(operatorsFlow(rows));
  const written = rows.map(([first = '']) => JSON.parse(codeSpansIn(first)[0] ?? '') as unknown);
  return definitionOf(
    webhookTrigger([codeStep('values', { written }, 'export const code = (inputs) => inputs.written;')]),
  );
}

/** Replaces durations and moments, which differ from run to run. */
const anyTimes = (shown: unknown): unknown =>
  JSON.parse(JSON.stringify(shown), (key, value: unknown) => ANY_TIME[key] ?? value);
const ANY_TIME: Record<string, unknown> = { duration: expect.any(Number), startTime: expect.any(String) };

describe('docs/flow-json.md', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Flow JSON');
  });

  const change = (flowId: string, operation: unknown) =>
    client.request<FlowAnswer>('POST', `/flows/${flowId}`, operation);

  async function importedFlow(definition: Definition): Promise<FlowAnswer> {
    const { id } = await client.createFlow(project, 'An example');
    return client.must('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request: definition });
  }

  async function runWith(flowId: string, payload: unknown): Promise<RunAnswer> {
    await client.must('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    return client.endedRun((await client.sendWebhook(flowId, payload)).body.id, 60_000);
  }

  /** Runs the flow as the example asks. Returns null when the example asks for no run. */
  async function runOf(flowId: string, { options }: MarkdownExample): Promise<RunAnswer | null> {
    if (!('payload' in options)) return null;
    const run = await runWith(flowId, options['payload']);
    expect(run).toMatchObject({ status: options['status'] ?? 'SUCCEEDED' });
    const outputs = (options['outputs'] ?? {}) as Record<string, unknown>;
    for (const [name, output] of Object.entries(outputs))
      expect([name, run.steps?.[name]?.output]).toEqual([name, output]);
    return run;
  }

  async function follow(
    flowId: string,
    { kind, json, options }: MarkdownExample,
    run: RunAnswer | null,
  ): Promise<void> {
    const result = run?.steps?.[options['of'] as string];
    if (kind === 'result') {
      expect(result).toEqual(anyTimes(json));
    } else if (kind === 'output') {
      expect(result?.output).toEqual(anyTimes(json));
    } else if (kind === 'problems') {
      expect(await client.must('POST', `/flows/${flowId}/check`)).toEqual(json);
    } else if (kind === 'refused') {
      const { status, body } = await change(flowId, json);
      expect({ status, body }).toMatchObject({ status: options['status'], body: { code: options['code'] } });
    } else {
      const { status, body } = await change(flowId, json);
      expect({ status, body }).toMatchObject({ status: 200 });
      const steps = options['steps'] as string[] | undefined;
      if (steps) expect(Array.from(stepsOf(body.version.trigger), ({ name }) => name)).toEqual(steps);
    }
  }

  it.each(stories)('tells the truth under %s', async (_title, first, followers) => {
    const { id, version } = await importedFlow(definitionIn(first));

    expect({ valid: version.valid }).toEqual({ valid: first.options['valid'] ?? true });
    if (first.kind === 'expressions') {
      const run = await runWith(id, first.options['payload']);
      const given = first.rows.map(([, gives = '']) => JSON.parse(codeSpansIn(gives)[0] ?? '') as unknown);
      expect(run.steps?.['values']?.output).toEqual(given);
    }
    if (first.kind === 'operators') {
      const run = await runWith(id, {});
      const { branches } = run.steps?.['operators']?.output as { branches: { evaluation: boolean }[] };
      const cases = operatorCases(first.rows);
      expect(cases.map((each, index) => ({ ...each, holds: branches[index]?.evaluation }))).toEqual(cases);
    }
    let run = await runOf(id, first);
    for (const follower of followers) {
      await follow(id, follower, run);
      run = (await runOf(id, follower)) ?? run;
    }
  });

  it('has no JSON that is not an example', () => {
    expect(examples.filter(({ json }) => json !== undefined)).toHaveLength(jsonBlocksIn(MARKDOWN));
    expect(examples.map(({ kind }) => kind).filter((kind) => ![...BEGINNINGS, ...FOLLOWERS].includes(kind))).toEqual(
      [],
    );
    expect(BEGINNINGS).toContain(examples[0]?.kind);
    expect(stories.length).toBeGreaterThanOrEqual(10);
  });

  it('shows each operator with values for which it holds, and values for which it does not', () => {
    const cases = examples.filter(({ kind }) => kind === 'operators').flatMap(({ rows }) => operatorCases(rows));
    const shown = (wanted: boolean) =>
      new Set(cases.filter(({ holds }) => holds === wanted).map(({ operator }) => operator));

    expect([...shown(true)].sort()).toEqual([...BRANCH_OPERATORS].sort());
    expect([...shown(false)].sort()).toEqual([...BRANCH_OPERATORS].sort());
  });

  it('lists each operation', () => {
    const listed = tableUnder(MARKDOWN, 'Operations').map(([name = '']) => codeSpansIn(name)[0]);

    expect(listed.toSorted()).toEqual(FLOW_OPERATION_TYPES.toSorted());
  });
});
