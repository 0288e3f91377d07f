import { OutboundFailure, ServiceUnavailableError } from '@millrace/domain';
import type { PieceAuth } from '../framework/auth';
import { ActionFailure, defineAction, type ActionDefinition } from '../framework/piece';
import { aPiece, HostUnderTest, RUN } from '../testing/a-piece-host';

const acting = (run: ActionDefinition['run'], more: Partial<ActionDefinition> = {}): HostUnderTest =>
  new HostUnderTest([aPiece({ act: { displayName: 'Act', description: '', props: {}, run, ...more } })]);

describe('PieceHost', () => {
  it('gives the output of the action, with its log lines', async () => {
    const subject = acting(async ({ log }) => {
      log('one');
      log('two');
      return { a: 1 };
    });

    expect(await subject.run('test.act', {})).toEqual({
      kind: 'value',
      output: { a: 1 },
      outputText: '{"a":1}',
      logs: ['one', 'two'],
    });
  });

  it('gives null for an action that returns nothing', async () =>
    expect(await acting(async () => undefined).run('test.act', {})).toMatchObject({
      output: null,
      outputText: 'null',
    }));

  it.each([
    ['a function', () => 1],
    ['a BigInt', { count: 1n }],
    ['a symbol', Symbol('a')],
  ])('fails an action whose output is %s', async (_, output) =>
    expect(await acting(async () => output).run('test.act', {})).toEqual({
      kind: 'failed',
      message: 'The output of the action is not JSON.',
      logs: [],
    }),
  );

  it('fails an action whose output holds itself', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['cycle'] = cycle;

    expect(await acting(async () => cycle).run('test.act', {})).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['an error', new TypeError('No such room.'), { message: 'No such room.' }],
    ['no error at all', 'a text', { message: 'a text' }],
    ['an error without a message', new Error(), { message: 'The action failed and did not say why.' }],
    ['trouble on the way out', new OutboundFailure('timeout', 'No answer in 30 s.'), { message: 'No answer in 30 s.' }],
    ['a failure to wait for', new ActionFailure('Busy.', 5_000), { message: 'Busy.', retryAfterMs: 5_000 }],
  ])('fails with the message of %s', async (_, thrown, failure) => {
    const subject = acting(async ({ log }) => {
      log('before');
      throw thrown as unknown;
    });

    expect(await subject.run('test.act', {})).toEqual({ kind: 'failed', logs: ['before'], ...failure });
  });

  it('tells how much an action wrote to files, for which it has so much room', async () => {
    const subject = acting(async ({ files }) => {
      await files.write({ name: 'a', content: Buffer.alloc(60) });
      return files.write({ name: 'b', content: Buffer.alloc(60) });
    });
    const fileRoom = { bytes: 100, problem: 'The storage limit is 100 bytes.' };

    expect(await subject.run('test.act', {})).toMatchObject({ kind: 'value', effects: { fileBytes: 120 } });
    expect(await subject.run('test.act', {}, { fileRoom })).toMatchObject({
      kind: 'failed',
      message: fileRoom.problem,
      effects: { fileBytes: 60 },
    });
  });

  it('fails an action that throws before it returns a promise', async () => {
    const subject = acting(() => {
      throw new Error('At once.');
    });

    expect(await subject.run('test.act', {})).toMatchObject({ kind: 'failed', message: 'At once.' });
  });

  it.each(['test.other', 'test.toString', 'nobody.act'])('fails %s, which does not exist', async (name) => {
    const [piece, action] = name.split('.');

    expect(await acting(async () => 1).run(name, {})).toMatchObject({
      kind: 'failed',
      message: `There is no piece ${piece} that has the action ${action}.`,
    });
  });

  it('does not call an action whose input is wrong', async () => {
    const run = jest.fn();
    const props = {
      count: { kind: 'number', displayName: 'Count', required: true },
      name: { kind: 'text', displayName: 'Name', required: true },
    } as const;
    const subject = acting(run, { props });

    expect(await subject.run('test.act', { count: 'x' })).toMatchObject({
      message: 'The input "Count" (count) must be a number. The input "Name" (name) is required.',
    });
    const written = { count: 1, name: '{{trigger.body.name}}' };
    expect(await subject.run('test.act', { count: 1, name: '' }, { written })).toMatchObject({
      message: 'The input "Name" (name) is required, and {{trigger.body.name}} gave nothing.',
    });
    expect(await subject.run('test.act', ['x'])).toMatchObject({ message: 'The input of the step is not an object.' });
    expect(run).not.toHaveBeenCalled();
  });

  it('makes the input what the props say', async () => {
    const repeat = defineAction({
      displayName: '',
      description: '',
      props: {
        text: { kind: 'text', displayName: 'Text', required: true },
        times: { kind: 'number', displayName: 'Times', required: false, defaultValue: 2 },
      },
      run: async ({ input }) => input.text.repeat(input.times),
    });
    const subject = new HostUnderTest([aPiece({ repeat })]);

    expect(await subject.output('test.repeat', { text: 7, times: '3' })).toBe('777');
    expect(await subject.output('test.repeat', { text: 'a' })).toBe('aa');
  });

  it('asks dynamic props what they are made of, and holds the input to it', async () => {
    const subject = acting(async ({ input }) => input, {
      props: {
        unit: { kind: 'text', displayName: 'Unit', required: true },
        size: {
          kind: 'dynamic',
          displayName: 'Size',
          required: false,
          props: async ({ unit }) => ({
            [String(unit)]: { kind: 'number', displayName: `In ${String(unit)}`, required: true },
          }),
        },
      },
    });

    expect(await subject.output('test.act', { unit: 'm', size: { m: '5', other: 1 } })).toEqual({
      unit: 'm',
      size: { m: 5 },
    });
    expect(await subject.run('test.act', { unit: 'cm', size: { m: 5 } })).toMatchObject({
      message: 'The input "In cm" (size.cm) is required.',
    });
  });

  it('gives the action what its connection holds', async () => {
    const auth = { kind: 'basicAuth', displayName: 'Login' } as const satisfies PieceAuth;
    const login = defineAction({
      displayName: '',
      description: '',
      auth,
      props: {},
      run: async ({ auth, input }) => [auth.username, auth.password, input],
    });
    const subject = new HostUnderTest([aPiece({ login }, { auth })]);

    expect(await subject.output('test.login', { auth: { username: 'ann', password: 'p' } })).toEqual(['ann', 'p', {}]);
    expect(await subject.run('test.login', {})).toMatchObject({
      message: 'The connection "Login" (auth) is required.',
    });
    const written = { auth: "{{connections['crm']}}" };
    expect(await subject.run('test.login', { auth: '' }, { written })).toMatchObject({
      message: `The connection "Login" (auth) is required, and {{connections['crm']}} gave nothing.`,
    });
  });

  it('reports what the action asks of its run, also when it fails then', async () => {
    const response = { status: 200, headers: {}, body: 'first' };
    const ask: ActionDefinition['run'] = async ({ addTag, respond, stop }) => {
      addTag('a');
      addTag('b');
      respond(response);
      respond({ ...response, body: 'second' });
      stop({ status: 'FAILED', message: 'Enough.' });
    };
    const effects = { tags: ['a', 'b'], response, stop: { status: 'FAILED', message: 'Enough.' } };

    expect(await acting(ask).run('test.act', {})).toMatchObject({ kind: 'value', effects });
    const failing = acting(async (context) => {
      await ask(context);
      throw new Error('No.');
    });
    expect(await failing.run('test.act', {})).toMatchObject({ kind: 'failed', effects });
  });

  it('keeps 500 log lines of 2,000 characters', async () => {
    const subject = acting(async ({ log }) => {
      for (let line = 0; line < 600; line++) log('x'.repeat(3_000));
    });

    const { logs } = await subject.run('test.act', {});

    expect(logs).toHaveLength(500);
    expect(logs[0]).toHaveLength(2_000);
  });

  it("sends requests under the step's key and signal", async () => {
    const subject = acting(async ({ http }) => http.send({ method: 'GET', url: 'https://example.test' }));
    const { signal } = new AbortController();

    await subject.run('test.act', {}, { signal });

    expect(subject.http.last).toEqual({
      method: 'GET',
      url: 'https://example.test',
      idempotencyKey: RUN.stepKey,
      projectId: RUN.projectId,
      signal,
    });
  });

  it('lets an action choose the key of a request, and end it before the step ends', async () => {
    const own = new AbortController();
    const step = new AbortController();
    const aborted: unknown[] = [];
    const subject = acting(async ({ http, run }) => {
      const sent = http.send({ method: 'GET', url: '', idempotencyKey: `${run.stepKey}/2`, signal: own.signal });
      aborted.push(subject.http.last.signal?.aborted);
      own.abort();
      aborted.push(subject.http.last.signal?.aborted);
      return sent;
    });

    await subject.run('test.act', {}, { signal: step.signal });

    expect(subject.http.last.idempotencyKey).toBe('run_1:step_1/2');
    expect(aborted).toEqual([false, true]);
  });

  it('rejects once the run is aborted, whatever the action does', async () => {
    const abort = new AbortController();
    const subject = acting(() => {
      abort.abort(new Error('cancelled'));
      return new Promise(() => {});
    });

    await expect(subject.run('test.act', {}, abort)).rejects.toThrow('cancelled');
  });

  it('does not begin an action of a run that is aborted', async () => {
    const run = jest.fn();

    await expect(
      acting(run).run('test.act', {}, { signal: AbortSignal.abort(new Error('cancelled')) }),
    ).rejects.toThrow('cancelled');
    expect(run).not.toHaveBeenCalled();
  });

  it('rejects when something of ours is away, for then the step has not failed', async () => {
    const away = new ServiceUnavailableError('The database is away.');
    const subject = acting(async () => Promise.reject(away));

    await expect(subject.run('test.act', {})).rejects.toBe(away);
  });
});
