import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

const HOSTILE: [what: string, body: string, cause: RegExp][] = [
  ['throws', "throw new Error('boom-17')", /boom-17/],
  ['loops for ever', 'for (;;) {}', /CPU time limit/],
  ['floods memory', "const kept = []; for (;;) kept.push('x'.repeat(1 << 20));", /memory limit|CPU time limit/],
  [
    'floods the microtask queue',
    'const again = () => { Promise.resolve().then(() => { again(); }); }; again(); await new Promise(() => undefined);',
    /CPU time limit/,
  ],
  ['recurses', 'const again = () => again() + 1; return again();', /stack|recursion/i],
  ['returns a cycle', 'const cycle = {}; cycle.self = cycle; return cycle;', /circular/i],
  ['returns a BigInt', 'return 10n', /BigInt/i],
  ['returns 20 MB', "return 'x'.repeat(20 * 1024 * 1024)", /output size limit/],
  ['never settles', 'await new Promise(() => undefined)', /settle/],
];

describe('a code step', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const bodyOf = (body: string) => `export const code = async (inputs) => { ${body} };`;
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Code steps');
  });

  async function runOf(body: string) {
    const trigger = webhookTrigger([codeStep('step_1', {}, bodyOf(body))]);
    const { id } = await client.publishFlow(project, 'Code', trigger);
    return client.endedRun((await client.sendWebhook(id, {})).body.id, 60_000);
  }

  it.each(HOSTILE)('that %s fails with a sentence that names the cause', async (_, body, cause) => {
    const run = await runOf(body);

    expect(run.status).toBe('FAILED');
    expect(run.failedStep).toMatchObject({ name: 'step_1', message: expect.stringMatching(cause) });
    expect(run.steps?.['step_1']).toMatchObject({ status: 'FAILED', errorMessage: expect.stringMatching(cause) });
  });

  it.each([
    ['nothing', '', null],
    ['a function', 'return () => 1', null],
    ['a symbol', "return Symbol('x')", null],
    ['undefined inside', 'return { a: undefined, b: [undefined] }', { b: [null] }],
  ])('that returns %s succeeds with what JSON makes of it', async (_, body, output) => {
    const run = await runOf(body);

    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps?.['step_1']?.output).toEqual(output);
  });

  it('leaves its neighbours untouched while it is stopped', async () => {
    const endless = runOf('for (;;) {}');
    const neighbours = await Promise.all(Array.from({ length: 5 }, (_, n) => runOf(`return ${n} + 1`)));

    expect(neighbours.map((run) => run.steps?.['step_1']?.output)).toEqual([1, 2, 3, 4, 5]);
    expect((await endless).status).toBe('FAILED');
  });

  it('uses a pure JavaScript package from the registry', async () => {
    const step = codeStep(
      'step_1',
      {},
      "import isNumber from 'is-number';\nexport const code = async () => [isNumber('5'), isNumber('five')];",
    );
    step.settings.sourceCode.packageJson = JSON.stringify({ dependencies: { 'is-number': '7.0.0' } });
    const { id } = await client.publishFlow(project, 'With a package', webhookTrigger([step]));
    const run = await client.endedRun((await client.sendWebhook(id, {})).body.id, 60_000);

    expect(run.steps?.['step_1']).toMatchObject({ status: 'SUCCEEDED', output: [true, false] });
  });

  it('sees which run and step it is', async () => {
    const run = await runOf('return run');

    expect(run.steps?.['step_1']?.output).toMatchObject({
      id: run.id,
      projectId: project,
      stepKey: `${run.id}:step_1`,
    });
  });
});
