import { redactHeaders } from './redact-headers';

describe('redactHeaders', () => {
  it('hides credentials, cookies and signatures', () => {
    const headers = { authorization: 'Bearer a', cookie: 'b', 'stripe-signature': 'c', 'x-hub-signature-256': 'd' };

    expect(new Set(Object.values(redactHeaders({ ...headers, 'x-own': 'e' }, 'x-own')))).toEqual(
      new Set(['**REDACTED**']),
    );
  });

  it('leaves other headers, and changes nothing of the request itself', () => {
    const headers = { host: 'h', authorization: 'secret', 'x-list': ['a', 'b'] };

    expect(redactHeaders(headers)).toEqual({ host: 'h', authorization: '**REDACTED**', 'x-list': ['a', 'b'] });
    expect(headers.authorization).toBe('secret');
  });

  it('returns the same headers when there is nothing to hide', () => {
    const headers = { host: 'h' };

    expect(redactHeaders(headers, 'x-own')).toBe(headers);
  });
});
