import type { WaitEnding } from '@millrace/domain';
import type { ActionDefinition } from '../framework/piece';
import { aPiece, HostUnderTest } from '../testing/a-piece-host';

const acting = (run: ActionDefinition['run'], more: Partial<ActionDefinition> = {}): HostUnderTest =>
  new HostUnderTest([aPiece({ act: { displayName: 'Act', description: '', props: {}, run, ...more } })]);

const URL_OF_REQUESTS = 'https://millrace.test/api/v1/flow-runs/run_1/requests/';
const moment = new Date('2026-02-01');
const answered: WaitEnding = { kind: 'human', answer: { approved: true } };

describe('An action that waits', () => {
  it('is told apart by what it returns, and keeps what it asked of its run', async () => {
    const subject = acting(async ({ waitFor, log, addTag }) => {
      log('before');
      addTag('slow');
      return waitFor.human({ kind: 'approval', until: moment });
    });

    expect(await subject.run('test.act', {})).toEqual({
      kind: 'waiting',
      wait: {
        kind: 'human',
        requestId: 'run_1:step_1#1',
        until: moment,
        request: { kind: 'approval' },
        child: null,
      },
      logs: ['before'],
      effects: { tags: ['slow'] },
    });
  });

  it('has the request of its wait named alike when it is repeated', async () => {
    const subject = acting(async ({ waitFor }) => waitFor.timer(moment));

    expect(await subject.wait('test.act', {})).toEqual(await subject.wait('test.act', {}));
  });

  it('goes on with the ending', async () => {
    const resume = jest.fn(async ({ input }: { input: Readonly<Record<string, unknown>> }, ending: unknown) => [
      input['name'],
      ending,
    ]);
    const props = { name: { kind: 'text', displayName: 'Name', required: true } } as const;
    const subject = acting(async ({ waitFor }) => waitFor.human({ kind: 'approval' }), { props, resume });

    expect(await subject.resume('test.act', { name: 'Ann' }, answered)).toMatchObject({
      kind: 'value',
      output: ['Ann', answered],
    });
  });

  it('may wait again, for a request of another name', async () => {
    const subject = acting(async ({ waitFor }) => waitFor.timer(moment), {
      resume: async ({ waitFor }) => waitFor.human({ kind: 'approval' }),
    });

    expect(await subject.resume('test.act', {}, { kind: 'timer', resumedAt: '' })).toMatchObject({
      kind: 'waiting',
      wait: { kind: 'human', requestId: 'run_1:step_1#2' },
    });
  });

  it.each<[WaitEnding, unknown]>([
    [answered, { approved: true }],
    [
      { kind: 'timer', resumedAt: 'now' },
      { kind: 'timer', resumedAt: 'now' },
    ],
    [{ kind: 'unanswered' }, { kind: 'unanswered' }],
  ])('has for its output, without a resume, of %j', async (ending, output) => {
    const run = jest.fn();

    expect(await acting(run).resume('test.act', {}, ending)).toMatchObject({ kind: 'value', output });
    expect(run).not.toHaveBeenCalled();
  });

  it('starts a child with a payload that is JSON, and no other', async () => {
    const calling = (payload: unknown) => acting(async ({ waitFor }) => waitFor.child({ flow: 'orders', payload }));

    expect(await calling(undefined).wait('test.act', {})).toMatchObject({ child: { payload: 'null' } });
    expect(await calling(1n).run('test.act', {})).toMatchObject({
      kind: 'failed',
      message: 'The payload of the action is not JSON.',
    });
  });

  it.each<[string, ActionDefinition['run'], string]>([
    [
      'forgets to return the wait',
      async ({ waitFor }) => void waitFor.timer(moment),
      'The action asked to wait, and then did not return the wait.',
    ],
    [
      'awaits it and goes on',
      async ({ waitFor }) => ({ ending: await Promise.resolve(waitFor.timer(moment)) }),
      'The action asked to wait, and then did not return the wait.',
    ],
    [
      'waits for two things',
      async ({ waitFor }) => [waitFor.timer(moment), waitFor.human({ kind: 'approval' })][1],
      'The action asked for several waits, and may have one at a time.',
    ],
    [
      'ends the run too',
      async ({ waitFor, stop }) => {
        stop({ status: 'SUCCEEDED' });
        return waitFor.timer(moment);
      },
      'The action asked to wait and to end the run at once.',
    ],
    [
      'waits until no moment',
      async ({ waitFor }) => waitFor.timer(new Date('soon')),
      'The moment until which the action would wait is not a date.',
    ],
  ])('fails when it %s', async (_, run, message) =>
    expect(await acting(run).run('test.act', {})).toMatchObject({ kind: 'failed', message }),
  );
});

describe('The request that an action waits for', () => {
  it('has a URL before the wait begins', async () => {
    const subject = acting(async ({ waitFor, answerUrl, log }) => {
      log(answerUrl('webhook'));
      return waitFor.human({ kind: 'webhook' });
    });

    expect(await subject.run('test.act', {})).toMatchObject({
      wait: { requestId: 'run_1:step_1#1' },
      logs: [`${URL_OF_REQUESTS}run_1:step_1#1`],
    });
  });

  it('is the one that a step before it opened, of the same kind', async () => {
    const openRequestId = (kind: string) => (kind === 'approval' ? 'opened' : null);
    const subject = acting(async ({ waitFor, answerUrl, log }) => {
      log(answerUrl('approval'));
      return waitFor.human({ kind: 'approval' });
    });

    expect(await subject.run('test.act', {}, { openRequestId })).toMatchObject({
      wait: { requestId: 'opened' },
      logs: [`${URL_OF_REQUESTS}opened`],
    });
    expect(
      await acting(async ({ waitFor }) => waitFor.human({ kind: 'webhook' })).wait('test.act', {}, { openRequestId }),
    ).toMatchObject({ requestId: 'run_1:step_1#1' });
  });

  it('is the one that the action opened itself', async () => {
    const subject = acting(async ({ waitFor, openRequest }) => {
      openRequest({ kind: 'webhook' });
      openRequest({ kind: 'approval' });
      return waitFor.human({ kind: 'approval' });
    });

    expect(await subject.run('test.act', {}, { openRequestId: () => 'opened before' })).toMatchObject({
      wait: { requestId: 'run_1:step_1/0#2' },
      effects: {
        opens: [
          { requestId: 'run_1:step_1/0#1', request: { kind: 'webhook' } },
          { requestId: 'run_1:step_1/0#2', request: { kind: 'approval' } },
        ],
      },
    });
  });

  it('never has the name of one that an earlier call of the step opened', async () => {
    const subject = acting(async ({ openRequest }) => openRequest({ kind: 'approval' }), {
      resume: async ({ openRequest }) => openRequest({ kind: 'approval' }),
    });

    expect(await subject.output('test.act', {})).toBe(`${URL_OF_REQUESTS}run_1:step_1/0#1`);
    expect(await subject.resume('test.act', {}, answered)).toMatchObject({
      output: `${URL_OF_REQUESTS}run_1:step_1/1#1`,
    });
  });
});
