import { visits } from './testing/browser';

describe('what a page complains about', () => {
  const visit = visits();

  it.each([
    ['an error of the console', `console.error('broken')`, 'console error: broken'],
    ['a warning of the console', `console.warn('deprecated')`, 'console warning: deprecated'],
    ['an exception', `setTimeout(() => { throw new Error('thrown') })`, 'exception: Error: thrown'],
    ['a rejected promise', `Promise.reject(new Error('rejected')); undefined`, 'exception: Error: rejected'],
    ['a failed request', `fetch('/api/v1/flows').then(() => undefined)`, 'Failed to load resource'],
    [
      'a style that the content security policy refuses',
      `document.body.setAttribute('style', 'color: red')`,
      'content security policy: style-src-attr refuses inline',
    ],
    [
      'a request to elsewhere, which the content security policy refuses',
      `fetch('https://elsewhere.test/').catch(() => undefined)`,
      'content security policy: connect-src refuses https://elsewhere.test/',
    ],
  ])('includes %s', async (_, script, complaint) => {
    const { page, context, complaints } = await visit();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();

    await page.evaluate(script);

    expect(await complaints.heard(complaint)).toContain(complaint);
    await context.close();
    complaints.take();
  });
});
