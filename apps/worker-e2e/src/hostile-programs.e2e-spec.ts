import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext, Script } from 'node:vm';
import { stepsOf, type FlowAction, type FlowTrigger } from '@millrace/domain';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { patience, ServiceProcess, type RunAnswer } from '@millrace/e2e-support';

// Each program of the list runs as an expression, in flows that continue after a failure, and every fourth one as a code
// step too: libs/sandbox runs them all as code. MILLRACE_HOSTILE_PROGRAMS=all runs all as code here too, and `some` runs
// no others than every fourth one. Meanwhile the flow of another project is called again and again.
//
// As an expression, a program is the body of a function that is called at once. A program that needs `await` becomes an
// async function: the expression gives its promise, which JSON writes as `{}`. A program that throws gives an empty
// text.

type OutcomeClass = 'value' | 'error' | 'timeout' | 'memory';

interface Expectation {
  class?: OutcomeClass;
  anyOf?: Expectation[];
  value?: unknown;
  valueJson?: string;
  messageIncludes?: string[];
  notContains?: string[];
}

interface HostileCase {
  id: string;
  category: string;
  body: string;
  input: unknown;
  inputRaw?: string;
  after?: string;
  expect: Expectation;
}

interface Ending {
  class: OutcomeClass;
  value?: unknown;
  message?: string;
}

interface StepAnswer {
  status?: string;
  output: unknown;
  errorMessage?: string;
}

/** How a program becomes a step, and how its ending is read from the step's result. */
interface Form {
  stepOf: (hostile: HostileCase) => FlowAction;
  endingOf: (step: StepAnswer) => Ending;
  agrees: (expected: Expectation, ending: Ending, hostile: HostileCase) => boolean;
}

interface Attack {
  form: Form;
  /** The ending of each program. For a program that the service would not publish, the ending holds the refusal. */
  endings: [HostileCase, Ending][];
  /** The ids of programs that the service treated as plain text. */
  notRun: string[];
  run: RunAnswer;
}

const { cases: listed, testLimits } = JSON.parse(
  readFileSync(join(__dirname, '../../../tests/cases/hostile-sandbox.json'), 'utf8'),
) as { cases: HostileCase[]; testLimits: { cpuMs: number; memoryMb: number; wallMs: number; killGraceMs: number } };

/** Values that would pass for the results of a step's expressions if the guest could write them itself. */
const forgeries = ["'x'", 'null', '[5]', "['not json']", `['1, "more": 2']`, "{ kind: 'resolved', text: 'x' }"].map(
  (forged, index): HostileCase => ({
    id: `forged-${index}`,
    category: 'forgery',
    body: `Object.prototype.toJSON = function () { return ${forged} }; return { a: 1 }`,
    input: {},
    expect: {
      anyOf: [
        { class: 'value', value: { a: 1 } },
        { class: 'value', value: runInNewContext(`(${forged})`) },
      ],
    },
  }),
);

const cases = [...listed, ...forgeries];
const AMOUNT = process.env['MILLRACE_HOSTILE_PROGRAMS'];

const first = cases.filter(({ after }) => after === undefined);
/** A program that looks for traces of another one runs right after it. */
const withFollowers = (one: HostileCase) => [one, ...cases.filter(({ after }) => after === one.id)];

const categories = [...new Set(first.map(({ category }) => category))].map((name) => {
  const ofCategory = first.filter(({ category }) => category === name);
  const everyFourth = ofCategory.filter((_, index) => index % 4 === 0);
  const asExpressions = AMOUNT === 'some' ? everyFourth : ofCategory;
  const asCodeToo = AMOUNT === 'all' ? ofCategory : everyFourth;
  return [name, asExpressions.flatMap(withFollowers), asCodeToo.flatMap(withFollowers)] as const;
});

/**
 * These programs are no expressions: they use JavaScript that expressions do not have, are too long, or have unmatched
 * brackets.
 */
const NO_EXPRESSIONS = ['esc-import-meta', 'src-5mb', 'src-breakout', 'src-breakout-forge', 'stk-regex-nest'];

const CODE_PAD = 'x'.repeat(5 * 1024 * 1024);
/** This is longer than an expression may be. */
const EXPRESSION_PAD = 'x'.repeat(10_000);
/**
 * Less than the list's CPU limit, because many programs wait for it; libs/sandbox tests the whole limit for each program.
 * The same work takes more CPU time while others use the other thread of a core.
 */
const CPU_SECONDS = (testLimits.cpuMs / 3_000) * patience;
const CANARY = `canary-${process.pid}-${Date.now()}`;
/** Limits count CPU time, so a program takes longer to reach them on a busy machine. */
const RUN_WITHIN_MS = 240_000;
/**
 * Both threads may execute a program that cannot be interrupted. The sandbox ends each soon after its time is over. The
 * rest is for the suites beside this one: W10 of `npm run bench` measures how long a neighbour waits.
 */
const NEIGHBOUR_WITHIN_MS = testLimits.wallMs + testLimits.killGraceMs + 8_000 * patience;

/** The calls are rare enough to leave most of the CPU to the programs. */
const NEIGHBOUR_EVERY_MS = 250;

const nameOf = ({ id }: HostileCase): string => id.replaceAll('-', '_');
const bodyOf = ({ body }: HostileCase, pad: string): string => body.replace('__PAD_5MB__', pad);
const inputOf = ({ input, inputRaw }: HostileCase): string => inputRaw ?? JSON.stringify(input);
const goOn = { errorHandlingOptions: { continueOnFailure: { value: true } } };

function failure(message: string): Ending {
  if (/CPU time limit|sleep limit|awaits a promise/.test(message)) return { class: 'timeout', message };
  return { class: message.includes('memory limit') ? 'memory' : 'error', message };
}

function agrees(expected: Expectation, ending: Ending): boolean {
  if (expected.class !== ending.class) return false;
  const json = JSON.stringify(ending.value);
  if (expected.valueJson !== undefined && json !== expected.valueJson) return false;
  if (expected.value !== undefined && json !== JSON.stringify(expected.value)) return false;
  return (expected.messageIncludes ?? []).every((part) => ending.message?.includes(part));
}

const asCode: Form = {
  stepOf: (hostile) => {
    const code = `export const code = async (inputs) => {\n${bodyOf(hostile, CODE_PAD)}\n};`;
    return codeStep(nameOf(hostile), JSON.parse(inputOf(hostile)) as Record<string, unknown>, code, goOn);
  },
  endingOf: ({ status, output, errorMessage }) =>
    status === 'SUCCEEDED' ? { class: 'value', value: output } : failure(errorMessage ?? ''),
  agrees,
};

/** Says whether the text is a function body, by compiling a script that never runs. */
function isFunctionBody(body: string): boolean {
  try {
    return new Script(`(function (inputs) {\n${body}\n})`) instanceof Script;
  } catch {
    return false;
  }
}

function expressionOf(hostile: HostileCase): string {
  const body = bodyOf(hostile, EXPRESSION_PAD);
  const keyword = isFunctionBody(body) ? 'function' : 'async function';
  return `{{ (${keyword} (inputs) {\n${body}\n})(${inputOf(hostile)}) }}`;
}

const asExpression: Form = {
  stepOf: (hostile) => codeStep(nameOf(hostile), { value: expressionOf(hostile) }, undefined, goOn),
  endingOf: ({ status, output, errorMessage }) =>
    status === 'SUCCEEDED'
      ? { class: 'value', value: (output as { value: unknown }).value }
      : failure(errorMessage ?? ''),
  agrees: (expected, ending, hostile) => {
    if (ending.value === '' && (expected.class === 'error' || expected.value === null)) return true;
    if (ending.value === expressionOf(hostile)) return true; // the service took the program for plain text
    const isPromise = JSON.stringify(ending.value) === '{}' && /await|async|Promise|then/.test(hostile.body);
    return isPromise || agrees(expected, ending);
  },
};

/** Reads offloaded outputs from their files into the results of the run. */
async function readLargeOutputs({ steps = {} }: RunAnswer): Promise<void> {
  for (const step of Object.values(steps)) {
    const { outputFile } = step as { outputFile?: { url: string } };
    if (outputFile) step.output = await (await fetch(outputFile.url)).json();
  }
}

/** Returns the programs whose ending differs from the list. */
const disagreements = ({ form, endings }: Attack) =>
  endings
    .filter(([hostile, ending]) => {
      const expected = hostile.expect.anyOf ?? [hostile.expect];
      return !expected.some((one) => form.agrees(one, ending, hostile));
    })
    .map(([{ id }, ending]) => ({ id, ...ending, value: JSON.stringify(ending.value)?.slice(0, 500) }));

describe('the hostile programs of a published flow', () => {
  let service: ServiceProcess;
  let attackers: string;
  let neighbour: string;
  let workerPid: number | null;
  let calls = 0;
  const noExpressions: string[] = [];

  beforeAll(async () => {
    service = await ServiceProcess.start({
      SVC_SANDBOX_CPU_SECONDS: String(CPU_SECONDS),
      SVC_SANDBOX_MEMORY_LIMIT: String(testLimits.memoryMb),
      SVC_SANDBOX_THREADS: '2',
      MILLRACE_CANARY: CANARY,
    });
    attackers = await service.client.createProject('Attackers');
    const neighbours = await service.client.createProject('Neighbours');
    const sum = 'export const code = ({ n }) => { let sum = 0; for (let i = 1; i <= n; i++) sum += i; return sum; };';
    const steps = [codeStep('sum', { n: '{{ trigger.body.n }}' }, sum), codeStep('twice', { twice: '{{ sum * 2 }}' })];
    neighbour = (await service.client.publishFlow(neighbours, 'Neighbour', webhookTrigger(steps))).id;
    workerPid = service.pidOf('worker');
  });

  afterAll(() => service.stop());

  const change = (flowId: string, type: string, request: object) =>
    service.client.must<{ version: { trigger: FlowTrigger } }>('POST', `/flows/${flowId}`, { type, request });

  /** Publishes the programs as one flow, without those that the service finds invalid, and runs it. */
  async function attack(form: Form, programs: readonly HostileCase[]): Promise<Attack> {
    const { client } = service;
    const { id } = await client.createFlow(attackers, 'Hostile');
    const definition = { displayName: 'Hostile', trigger: webhookTrigger(programs.map(form.stepOf)), notes: [] };
    const { version } = await change(id, 'IMPORT_FLOW', { ...definition, schemaVersion: '20' });
    const invalid = Array.from(stepsOf(version.trigger)).filter(({ valid }) => !valid);
    const refused = programs.filter((one) => invalid.some(({ name }) => name === nameOf(one)));
    const { problems } = await client.must<{ problems: { stepName: string; message: string }[] }>(
      'POST',
      `/flows/${id}/check`,
    );
    if (refused.length > 0) await change(id, 'DELETE_ACTION', { names: refused.map(nameOf) });
    await change(id, 'LOCK_AND_PUBLISH', {});
    const run = await client.endedRun((await client.sendWebhook(id, {})).body.id, RUN_WITHIN_MS);
    await readLargeOutputs(run);
    const endings = programs.map((one): [HostileCase, Ending] => {
      const step = run.steps?.[nameOf(one)];
      if (step) return [one, form.endingOf(step)];
      const problem = problems.find(({ stepName }) => stepName === nameOf(one));
      if (!problem) throw new Error(`${one.id} was neither refused nor run: the run is ${run.status}.`);
      return [one, failure(problem.message)];
    });
    const texts = endings.filter(([one, { value }]) => value === expressionOf(one)).map(([one]) => one);
    return { form, endings, notRun: [...refused, ...texts].map(({ id }) => id), run };
  }

  async function callNeighbour(): Promise<void> {
    const n = 1_000 + calls++;
    const startedAt = performance.now();
    const run = await service.client.endedRun((await service.client.sendWebhook(neighbour, { n })).body.id);
    const sum = (n * (n + 1)) / 2;

    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps?.['trigger']?.output).toMatchObject({ rawBody: JSON.stringify({ n }) });
    expect(run.steps?.['sum']).toMatchObject({ input: { n }, output: sum });
    expect(run.steps?.['twice']).toMatchObject({ input: { twice: sum * 2 }, output: { twice: sum * 2 } });
    expect(performance.now() - startedAt).toBeLessThan(NEIGHBOUR_WITHIN_MS);
  }

  /** Calls the other project's flow at least once, and again until the work has ended. */
  async function callNeighbourDuring(work: Promise<unknown>): Promise<void> {
    let isUnderWay = true;
    const end = () => void (isUnderWay = false);
    const ended = work.then(end, end);
    while (isUnderWay) {
      await callNeighbour();
      await Promise.race([new Promise((next) => setTimeout(next, NEIGHBOUR_EVERY_MS)), ended]);
    }
  }

  it.each(categories)(
    'of the kind "%s" end as described, and harm nobody',
    async (_, programs, asCodeToo) => {
      const attacks = Promise.all([attack(asExpression, programs), attack(asCode, asCodeToo)]);
      await callNeighbourDuring(attacks);

      for (const one of await attacks) {
        expect(one.run.status).toBe('SUCCEEDED');
        expect(disagreements(one)).toEqual([]);
        for (const secret of [CANARY, ...programs.flatMap(({ expect: { notContains } }) => notContains ?? [])])
          expect(JSON.stringify(one.run.steps)).not.toContain(secret);
      }
      noExpressions.push(...(await attacks)[0].notRun);
      expect(service.pidOf('worker')).toBe(workerPid);
    },
    2 * RUN_WITHIN_MS * patience,
  );

  it('are expressions too, but for those that are none', () => {
    const tried = new Set(categories.flatMap(([, programs]) => programs.map(({ id }) => id)));
    expect(noExpressions.toSorted()).toEqual(NO_EXPRESSIONS.filter((id) => tried.has(id)));
  });
});
