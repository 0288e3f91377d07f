import { InvalidWebhookSignatureError, RateLimitedError } from '@millrace/domain';
import { VerificationsUnderWay } from './verifications-under-way';

/** Work that goes on until the test ends it. */
function lasting() {
  let end = (): void => undefined;
  const work = new Promise<void>((resolve) => (end = resolve));
  return { work: () => work, end: () => end() };
}

describe('the verifications under way', () => {
  it('are bounded for each address and in all, and make room when they end', async () => {
    const underWay = new VerificationsUnderWay({ all: 3, ofAddress: 2 });
    const { work, end } = lasting();
    const begun = [underWay.during('a', work), underWay.during('a', work)];

    await expect(underWay.during('a', work)).rejects.toThrow(RateLimitedError);
    begun.push(underWay.during('b', work));
    await expect(underWay.during('c', work)).rejects.toThrow(RateLimitedError);

    end();
    await Promise.all(begun);
    expect(await underWay.during('a', async () => 'done')).toBe('done');
  });

  it('are one at a time for an address whose requests are refused, until one is genuine', async () => {
    const underWay = new VerificationsUnderWay({ all: 3, ofAddress: 2 });
    const refuse = () => underWay.during('a', () => Promise.reject(new InvalidWebhookSignatureError()));
    for (let refused = 0; refused < 20; refused++) await expect(refuse()).rejects.toThrow(InvalidWebhookSignatureError);
    const { work, end } = lasting();
    const first = underWay.during('a', work);

    await expect(underWay.during('a', work)).rejects.toThrow(RateLimitedError);
    const other = underWay.during('b', work);
    end();
    await Promise.all([first, other]);

    const again = lasting();
    const both = [underWay.during('a', again.work), underWay.during('a', again.work)];
    again.end();
    await Promise.all(both);
  });

  it('make room when they fail', async () => {
    const underWay = new VerificationsUnderWay({ all: 1, ofAddress: 1 });

    await expect(underWay.during('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await underWay.during('a', async () => 'done')).toBe('done');
  });

  it('count all addresses of one network of IPv6 as one', async () => {
    const underWay = new VerificationsUnderWay({ all: 3, ofAddress: 1 });
    const { work, end } = lasting();
    const begun = underWay.during('2001:db8::1', work);

    await expect(underWay.during('2001:db8::2', work)).rejects.toThrow(RateLimitedError);
    end();
    await begun;
    await underWay.during('2001:db8::2', () => Promise.resolve());
  });
});
