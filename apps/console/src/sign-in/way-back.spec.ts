import { wayBack } from './way-back';

describe('after the sign-in', () => {
  it.each([
    [null, '/flows'],
    ['/runs?status=FAILED', '/runs?status=FAILED'],
    ['https://evil.test/flows', '/flows'],
    ['//evil.test/flows', '/flows'],
    ['/\\evil.test', '/flows'],
    ['javascript:alert(1)', '/flows'],
  ])('the way from %j leads to %s', (next, address) => expect(wayBack(next)).toBe(address));
});
