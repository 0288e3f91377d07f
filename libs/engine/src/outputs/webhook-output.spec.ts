import { RunScope } from '../run/run-scope';
import { MOST_RAW_BYTES_IN_WHOLE, WebhookOutput } from './webhook-output';

const output = (rawBody: string) =>
  new WebhookOutput({
    request: '{"method":"PUT","headers":{"x-a":"1"},"queryParams":{}}',
    bodyKind: 'json',
    rawBody: Buffer.from(rawBody),
  });

describe('WebhookOutput', () => {
  it('gives each part by its path', () => {
    const trigger = output('{ "n": [1, 2] }');
    expect(trigger.valueAt(['body', 'n', 1])).toBe(2);
    expect(trigger.textAt(['body', 'n'])).toBe('[1,2]');
    expect(trigger.textAt(['body'])).toBe('{ "n": [1, 2] }');
    expect(trigger.valueAt(['rawBody'])).toBe('{ "n": [1, 2] }');
    expect(trigger.valueAt(['rawBody', 'length'])).toBe('{ "n": [1, 2] }'.length);
    expect(trigger.valueAt(['headers', 'x-a'])).toBe('1');
    expect(trigger.valueAt(['method'])).toBe('PUT');
    expect(trigger.textAt(['nothing'])).toBeUndefined();
  });

  it.each([10, MOST_RAW_BYTES_IN_WHOLE])('hides credentials that were kept for a trigger of a package', (length) => {
    const trigger = new WebhookOutput({
      request: '{"method":"POST","headers":{"authorization":"Bearer s3cret"},"queryParams":{}}',
      bodyKind: 'text',
      rawBody: Buffer.from('x'.repeat(length + 1)),
    });

    expect(trigger.valueAt(['headers', 'authorization'])).toBe('**REDACTED**');
    expect(trigger.textAt(['headers'])).not.toContain('s3cret');
    expect(trigger.textAt([])).not.toContain('s3cret');
  });

  it('gives all of it at once', () => {
    expect(output('[1]').valueAt([])).toEqual({
      method: 'PUT',
      headers: { 'x-a': '1' },
      queryParams: {},
      body: [1],
      rawBody: '[1]',
    });
  });

  it('has a large body once when all of it is read, and the raw one by its name', () => {
    const rawBody = `"${'x'.repeat(MOST_RAW_BYTES_IN_WHOLE)}"`;
    const trigger = output(rawBody);
    expect(Object.keys(trigger.valueAt([]) as object)).toEqual(['method', 'headers', 'queryParams', 'body']);
    expect(trigger.valueAt(['rawBody'])).toBe(rawBody);
    const scope = RunScope.ofRun({ trigger });
    expect(JSON.parse(scope.textOf(['trigger']))).not.toHaveProperty('trigger.rawBody');
    expect(JSON.parse(scope.textOf(['trigger'], true))).toHaveProperty('trigger.rawBody', rawBody);
  });
});
