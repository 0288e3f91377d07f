import { withResumeUrlAt } from './resume-url';

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
