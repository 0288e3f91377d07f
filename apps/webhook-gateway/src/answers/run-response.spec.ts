import { FlowRunFailedError, RunAnswerTimeoutError, type RunResponse } from '@millrace/domain';
import { httpAnswer, withResumeUrlAt } from './run-response';

const answered = (response: Partial<RunResponse>) =>
  httpAnswer('r', { status: 'RUNNING', response: { status: 200, headers: {}, body: null, ...response } }, 30);

describe('httpAnswer', () => {
  it.each<[Partial<RunResponse>, object]>([
    [
      { body: { a: 1 } },
      { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"a":1}' },
    ],
    [
      { body: 'plain', headers: { 'Content-Type': 'text/plain' } },
      { headers: { 'Content-Type': 'text/plain' }, body: 'plain' },
    ],
    [
      { status: 302, headers: { location: '/x' } },
      { status: 302, headers: { location: '/x' }, body: '' },
    ],
    [
      { status: 204, body: { a: 1 } },
      { status: 204, body: undefined },
    ],
    [{ body: null }, { body: 'null' }],
  ])('sends what the flow responds: %j', (response, expected) => {
    expect(answered(response)).toMatchObject(expected);
  });

  it('leaves out headers that are not the flow’s to set, and those that HTTP cannot carry', () => {
    const headers = { 'Content-Length': '9', 'transfer-encoding': 'chunked', 'bad name': 'x', x: 'a\nb', y: 'kept' };
    expect(Object.keys(answered({ headers, body: 'b' }).headers)).toEqual(['y', 'content-security-policy']);
  });

  it('keeps browsers from taking it for a page of the service', () => {
    const headers = {
      'Set-Cookie': 'a=b',
      'strict-transport-security': 'max-age=1',
      'Content-Security-Policy': "default-src 'none'",
    };
    expect(answered({ headers, body: '<script>' }).headers).toEqual({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none', sandbox (?!.*allow-same-origin)/,
      ) as string,
    });
  });

  it('is empty for a run that succeeded without a response', () => {
    expect(httpAnswer('r', { status: 'SUCCEEDED', response: null }, 30)).toEqual({
      status: 204,
      headers: {},
      body: undefined,
    });
  });

  it.each(['FAILED', 'TIMEOUT', 'STOPPED', 'INTERNAL_ERROR', 'QUOTA_EXCEEDED'] as const)(
    'refuses one that ended as %s',
    (status) => {
      expect(() => httpAnswer('r', { status, response: null }, 30)).toThrow(FlowRunFailedError);
    },
  );

  it('prefers the response of a run that failed after it', () => {
    const response = { status: 201, headers: {}, body: 'x' };
    expect(httpAnswer('r', { status: 'FAILED', response }, 30)).toMatchObject({ status: 201 });
  });

  it('says that a run goes on which has not answered in time', () => {
    expect(() => httpAnswer('r', null, 7)).toThrow(new RunAnswerTimeoutError('r', 7));
  });
});

const path = '/api/v1/flow-runs/r/requests/q';
const withUrl = (url: string) => ({ 'x-other': 'kept', 'x-millrace-resume-url': url });

describe('the resume URL of an answer', () => {
  it('begins where the caller reached the service', () => {
    expect(withResumeUrlAt('https://hooks.test:8443', withUrl(`http://0.0.0.0:3000${path}`))).toEqual(
      withUrl(`https://hooks.test:8443${path}`),
    );
  });

  it.each([
    ['when the caller named no host', 'http://', `http://127.0.0.1:3000${path}`],
    ['when the named host is none', 'http://a b', `http://127.0.0.1:3000${path}`],
    ['when the flow made it itself', 'http://hooks.test', 'https://elsewhere.test/resume'],
    ['when it is no URL', 'http://hooks.test', 'later'],
  ])('stays as it is %s', (_, origin, url) => {
    expect(withResumeUrlAt(origin, withUrl(url))).toEqual(withUrl(url));
  });

  it('is not added to other answers', () => {
    expect(withResumeUrlAt('http://hooks.test', { 'x-other': 'kept' })).toEqual({ 'x-other': 'kept' });
  });
});
