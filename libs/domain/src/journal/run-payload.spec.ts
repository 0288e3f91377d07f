import { payloadText, textWithoutRawBody, type WebhookBodyKind } from './run-payload';

const webhook = (bodyKind: WebhookBodyKind, rawBody: string) => ({
  request: '{"method":"POST","headers":{},"queryParams":{"a":"1"}}',
  bodyKind,
  rawBody: Buffer.from(rawBody),
});

describe('payloadText', () => {
  it('is the text itself where a run was started with one', () => {
    expect(payloadText('{"a":1}')).toBe('{"a":1}');
  });

  it.each([
    ['json', '{ "x": [1.50] }', { x: [1.5] }],
    ['form', 'a=1&b=x+y&a=2&__proto__=z', JSON.parse('{"a":["1","2"],"b":"x y","__proto__":"z"}')],
    ['text', 'plain "text"', 'plain "text"'],
    ['xml', '<a x="1"><b>&lt;</b></a>', { a: { '@_x': '1', b: '<' } }],
    ['none', '', {}],
  ] as const)('makes the body and the raw body of a %s', (kind, rawBody, body) => {
    expect(JSON.parse(payloadText(webhook(kind, rawBody)))).toEqual({
      method: 'POST',
      headers: {},
      queryParams: { a: '1' },
      body,
      rawBody,
    });
  });

  it('shows no credentials of a sender', () => {
    const request = JSON.stringify({
      method: 'POST',
      headers: { authorization: 'Bearer s3cret', a: '1' },
      queryParams: {},
    });
    const shown = payloadText({ ...webhook('none', ''), request });

    expect(JSON.parse(shown)).toMatchObject({ headers: { authorization: '**REDACTED**', a: '1' } });
  });

  it('has no raw body where the body was put into files', () => {
    const payload = webhook('files', '{"fileUrl":"https://millrace.test/f"}');
    const body = { fileUrl: 'https://millrace.test/f' };
    expect(JSON.parse(payloadText(payload))).toMatchObject({ body, rawBody: '' });
    expect(JSON.parse(textWithoutRawBody(payload))).toMatchObject({ body });
  });

  it('reads the members of a form in the character set that its request declares', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' };
    const request = JSON.stringify({ method: 'POST', headers, queryParams: {} });
    const payload = { request, bodyKind: 'form' as const, rawBody: Buffer.from('name=J%F6rg') };
    expect(JSON.parse(payloadText(payload))).toMatchObject({ body: { name: 'Jörg' }, rawBody: 'name=J%F6rg' });
  });

  it('puts U+FFFD for what cannot be stored into the body, and leaves the text of the raw body', () => {
    const rawBody = String.raw`{"x":"a\u0000b\ud800"}`;
    expect(JSON.parse(payloadText(webhook('json', rawBody)))).toMatchObject({ body: { x: 'a\ufffdb\ufffd' }, rawBody });
    expect(JSON.parse(payloadText(webhook('text', 'a\0b')))).toMatchObject({ body: 'a\ufffdb', rawBody: 'a\ufffdb' });
  });

  it('can leave the raw body out', () => {
    expect(JSON.parse(textWithoutRawBody(webhook('json', '[1]')))).toEqual({
      method: 'POST',
      headers: {},
      queryParams: { a: '1' },
      body: [1],
    });
  });
});
