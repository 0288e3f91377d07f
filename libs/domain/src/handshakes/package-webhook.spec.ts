import { handshakeSign, isHandshake, type HandshakeSign } from './package-webhook';

const request = (more: object = {}) => ({ headers: {}, queryParams: {}, rawBody: Buffer.alloc(0), ...more });
const sign = (strategy: HandshakeSign['strategy'], paramName = 'X-Challenge'): HandshakeSign => ({
  strategy,
  paramName,
});

describe('handshakeSign', () => {
  it.each([
    [{ strategy: 'BODY_PARAM_PRESENT', paramName: 'challenge' }, sign('BODY_PARAM_PRESENT', 'challenge')],
    [{ strategy: 'NONE' }, null],
    [{ strategy: 'HEADER_PRESENT' }, null],
    [{ strategy: 'HEADER_PRESENT', paramName: 5 }, null],
    ['BODY_PARAM_PRESENT', null],
    [undefined, null],
  ])('reads %j', (given, expected) => {
    expect(handshakeSign(given)).toEqual(expected);
  });
});

describe('isHandshake', () => {
  it.each([
    ['a header in any case', sign('HEADER_PRESENT'), { headers: { 'x-challenge': '' } }, true],
    ['no such header', sign('HEADER_PRESENT'), { headers: { 'x-other': '1' } }, false],
    ['a parameter', sign('QUERY_PRESENT', 'c'), { queryParams: { c: '1' } }, true],
    ['no such parameter', sign('QUERY_PRESENT', 'toString'), { queryParams: { d: '1' } }, false],
    ['a member of a JSON body', sign('BODY_PARAM_PRESENT', 'c'), { rawBody: Buffer.from('{"c":1}') }, true],
    ['a field of a form', sign('BODY_PARAM_PRESENT', 'c'), { rawBody: Buffer.from('a=1&c=2') }, true],
    ['no such member', sign('BODY_PARAM_PRESENT', 'c'), { rawBody: Buffer.from('[{"c":1}]') }, false],
    ['a large body', sign('BODY_PARAM_PRESENT', 'c'), { rawBody: Buffer.from(`{"c":1}${' '.repeat(65_536)}`) }, false],
    ['no sign at all', null, { rawBody: Buffer.from('{"c":1}') }, false],
  ])('tells a request with %s', (_what, by, more, expected) => {
    expect(isHandshake(by, request(more))).toBe(expected);
  });
});
