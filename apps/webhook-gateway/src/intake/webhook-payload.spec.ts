import { InvalidRequestError, payloadText, UnsupportedMediaTypeError } from '@millrace/domain';
import type { TextBodyKind } from '../bodies/body-check';
import { bodyKindOf, webhookPayload, type InboundRequest } from './webhook-payload';

const request = (type: string | undefined, body: string, more: Partial<InboundRequest> = {}): InboundRequest => ({
  method: 'POST',
  headers: type === undefined ? {} : { 'content-type': type },
  queryParams: {},
  rawBody: Buffer.from(body),
  ...more,
});
const textPayload = (inbound: InboundRequest) => webhookPayload(inbound, bodyKindOf(inbound) as TextBodyKind);
const payloadOf = (type: string | undefined, body: string) =>
  JSON.parse(payloadText(textPayload(request(type, body)))) as { body: object & { a?: string } };

describe('webhookPayload', () => {
  it('carries method, headers, query and both forms of the body', () => {
    const payload = JSON.parse(
      payloadText(textPayload(request('application/json', '{ "a": 1 }', { queryParams: { x: ['1', '2'] } }))),
    ) as unknown;

    expect(payload).toEqual({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: { a: 1 },
      queryParams: { x: ['1', '2'] },
      rawBody: '{ "a": 1 }',
    });
  });

  it.each([
    ['application/vnd.github+json; charset=utf-8', '[1]', [1]],
    ['application/x-www-form-urlencoded', 'a=1&b=x+y&a=2', { a: ['1', '2'], b: 'x y' }],
    ['application/x-www-form-urlencoded; charset=iso-8859-1', 'name=J%F6rg', { name: 'Jörg' }],
    ['text/plain', 'hello "you"', 'hello "you"'],
    ['application/xml', '<a b="1">c</a>', { a: { '@_b': '1', '#text': 'c' } }],
    ['text/xml; charset=utf-8', '<a/>', { a: '' }],
    ['application/rss+xml', '<rss><item>1</item><item>2</item></rss>', { rss: { item: ['1', '2'] } }],
    [undefined, 'hello', 'hello'],
    ['application/json', '', {}],
  ])('reads a body of type %s', (type, body, expected) => expect(payloadOf(type, body).body).toEqual(expected));

  it('replaces what no database can store, in the body and in the raw body', () => {
    const payload = payloadOf('application/json', '{"k\\u0000":"\\ud83d"}');

    expect(payload.body).toEqual({ 'k\ufffd': '\ufffd' });
  });

  it('keeps a key called __proto__ as data', () => {
    expect(Object.keys(payloadOf('application/json', '{"__proto__":{"a":1}}').body)).toEqual(['__proto__']);
  });

  it.each(['{', '{"a":1}{', "{'a':1}", 'NaN', '\ufeff\ufeff{}'])('refuses the malformed JSON %s', (body) => {
    expect(() => payloadOf('application/json', body)).toThrow(InvalidRequestError);
  });

  it('says where a body stops being JSON, and quotes nothing of it', () => {
    expect(() => payloadOf('application/json', '{"secret":canary}')).toThrow(
      /^The body: is not valid JSON: it stops being JSON at byte 10\.$/,
    );
  });

  it('refuses JSON that nests deeper than 128 levels', () => {
    expect(payloadOf('application/json', '['.repeat(128) + ']'.repeat(128)).body).toHaveLength(1);
    expect(() => payloadOf('application/json', '['.repeat(129) + ']'.repeat(129))).toThrow(/deeper than 128/);
  });

  it('decodes text by the character set that is declared, and keeps it as UTF-8', () => {
    const rawBody = Buffer.from('\ufeff{"a":"ü"}', 'utf16le');
    const { rawBody: kept } = textPayload(request('application/json; charset=utf-16', '', { rawBody }));

    expect(kept.toString()).toBe('{"a":"ü"}');
  });

  it('refuses bytes that are no text', () => {
    const rawBody = Buffer.from([0x22, 0xe9, 0x22]);
    expect(() => textPayload(request('application/json', '', { rawBody }))).toThrow(UnsupportedMediaTypeError);
  });

  it('refuses a form whose escapes are not in its character set', () => {
    expect(() => payloadOf('application/x-www-form-urlencoded', 'name=J%F6rg')).toThrow(UnsupportedMediaTypeError);
  });

  it('refuses a form of more than 10,000 members', () => {
    expect(payloadOf('application/x-www-form-urlencoded', 'a=1&'.repeat(9_999)).body.a).toHaveLength(9_999);
    expect(() => payloadOf('application/x-www-form-urlencoded', 'a=1&'.repeat(10_000))).toThrow(InvalidRequestError);
  });

  it.each(['<a>', 'text', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<a>'.repeat(65) + '</a>'.repeat(65)])(
    'refuses the XML %s',
    (body) => expect(() => payloadOf('application/xml', body)).toThrow(InvalidRequestError),
  );

  it('decodes XML by the character set that it declares itself, unless its content type says otherwise', () => {
    const declared = '<?xml version="1.0" encoding="ISO-8859-1"?><a>J\xf6rg</a>';
    const bodyOf = (type: string, body: Buffer) =>
      JSON.parse(payloadText(textPayload(request(type, '', { rawBody: body })))) as { body: unknown };

    expect(bodyOf('application/xml', Buffer.from(declared, 'latin1')).body).toEqual({ a: 'Jörg' });
    expect(bodyOf('text/xml; charset=utf-8', Buffer.from(declared)).body).toEqual({ a: 'Jörg' });
  });
});

describe('bodyKindOf', () => {
  it.each([
    ['multipart/form-data; boundary=x', 'multipart'],
    ['Multipart/Form-Data', 'multipart'],
    ['multipart/mixed; boundary=x', 'file'],
    ['image/png', 'file'],
    ['application/octet-stream', 'file'],
    ['what is this', 'file'],
    ['image/svg+xml', 'xml'],
    ['TEXT/HTML', 'text'],
  ])('takes a body of type %s for %s', (type, kind) => expect(bodyKindOf(request(type, 'x'))).toBe(kind));

  it('knows no body by any type', () => expect(bodyKindOf(request('image/png', ''))).toBe('none'));
});
