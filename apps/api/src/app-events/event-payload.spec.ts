import { InvalidRequestError } from '@millrace/domain';
import { eventPayload, type ArrivedEvent } from './event-payload';

const arrived = (body: string, type: string, more: Partial<ArrivedEvent> = {}): ArrivedEvent => ({
  method: 'POST',
  headers: { 'content-type': type, 'x-slack-signature': 'v0=s3cret', accept: ['a', 'b'], absent: undefined },
  queryParams: { of: 'x' },
  rawBody: Buffer.from(body),
  ...more,
});

describe('a request at the URL of an app', () => {
  it('reaches the package as it was sent, and is stored without its signature', () => {
    const { asked, stored } = eventPayload(arrived('{"a":1}', 'application/json; charset=utf-8'));

    const headers = { 'content-type': 'application/json; charset=utf-8', accept: 'a,b' };
    expect(asked).toEqual({
      ...{ method: 'POST', queryParams: { of: 'x' }, body: { a: 1 }, rawBody: '{"a":1}' },
      headers: { ...headers, 'x-slack-signature': 'v0=s3cret' },
    });
    expect(JSON.parse(stored.request)).toMatchObject({ headers: { ...headers, 'x-slack-signature': '**REDACTED**' } });
    expect(stored).toMatchObject({ bodyKind: 'json', rawBody: Buffer.from('{"a":1}') });
  });

  it.each([
    ['a form', 'payload=%7B%7D&a=1', 'application/x-www-form-urlencoded', { payload: '{}', a: '1' }],
    ['a text', 'plain', 'text/plain', 'plain'],
    ['JSON of another name', '[1]', 'application/cloudevents+json', [1]],
    ['something else', 'bytes', 'application/octet-stream', 'bytes'],
  ])('may have %s for its body', (_what, body, type, read) => {
    expect(eventPayload(arrived(body, type)).asked).toMatchObject({ body: read, rawBody: body });
  });

  it.each([
    ['JSON that is none', '{"a":'],
    ['JSON that nests too deep', `${'['.repeat(200)}${']'.repeat(200)}`],
  ])('is refused with %s', (_what, body) => {
    expect(() => eventPayload(arrived(body, 'application/json'))).toThrow(InvalidRequestError);
  });
});
