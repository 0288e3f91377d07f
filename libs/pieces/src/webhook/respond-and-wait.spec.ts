import { HostUnderTest } from '../testing/a-piece-host';

describe('webhook.respond_and_wait', () => {
  const subject = new HostUnderTest();
  const resumeUrl = 'https://millrace.test/api/v1/flow-runs/run_1/requests/run_1:step_1#1';

  it('answers with the URL that it waits for a request to', async () =>
    expect(
      await subject.run('webhook.respond_and_wait', { status: 202, headers: { 'x-a': 'b' }, body: { ok: true } }),
    ).toEqual({
      kind: 'waiting',
      wait: { kind: 'human', requestId: 'run_1:step_1#1', until: null, request: { kind: 'webhook' }, child: null },
      logs: [],
      effects: {
        response: {
          status: 202,
          headers: { 'x-a': 'b', 'content-type': 'application/json', 'x-millrace-resume-url': resumeUrl },
          body: { ok: true },
        },
      },
    }));

  it('takes the response as exports name it', async () =>
    expect(
      await subject.run('webhook.respond_and_wait', {
        responseType: 'raw',
        fields: { status: 201, headers: { 'x-a': 'b' }, body: 'text' },
      }),
    ).toMatchObject({
      effects: {
        response: {
          status: 201,
          headers: { 'x-a': 'b', 'content-type': 'text/plain; charset=utf-8', 'x-millrace-resume-url': resumeUrl },
          body: 'text',
        },
      },
    }));

  it('gives the request that came', async () => {
    const answer = { body: { a: 1 }, headers: { host: 'a.test' }, queryParams: {} };

    expect(await subject.resume('webhook.respond_and_wait', {}, { kind: 'human', answer })).toMatchObject({
      kind: 'value',
      output: answer,
    });
  });

  it('does not wait when it cannot answer', async () =>
    expect(await subject.run('webhook.respond_and_wait', { status: 99 })).toEqual({
      kind: 'failed',
      message: 'The status of a response must be a whole number from 200 to 599.',
      logs: [],
    }));
});
