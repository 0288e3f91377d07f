import { InvalidWebhookSignatureError, RateLimitedError } from '@millrace/domain';
import { VerificationsUnderWay, type VerificationBounds } from './verifications-under-way';

/** Of strangers a piece that is alone has four, and so has one of known senders. */
const BOUNDS: VerificationBounds = { ofKnown: 8, ofStrangers: 8, ofStranger: 2 };
const refused = () => Promise.reject(new InvalidWebhookSignatureError());

function setUp(bounds = BOUNDS) {
  const underWay = new VerificationsUnderWay(bounds);
  let end = (): void => undefined;
  const lasting = new Promise<void>((resolve) => (end = resolve));
  const begun: Promise<void>[] = [];
  /** Begins a verification that goes on until the test ends all. */
  const begin = (piece: string, address: string): Promise<void> => {
    const started = underWay.during(piece, address, () => lasting);
    begun.push(started.catch(() => undefined));
    return started;
  };
  const endAll = () => (end(), Promise.all(begun));
  return { underWay, begin, endAll };
}

const isRefused = (verification: Promise<unknown>) => expect(verification).rejects.toBeInstanceOf(RateLimitedError);

describe('the verifications under way', () => {
  it('let senders in that were genuine before, however many strangers there are', async () => {
    const { underWay, begin, endAll } = setUp();
    await underWay.during('chat', '192.0.2.1', async () => undefined);
    for (let stranger = 1; stranger <= 4; stranger++) void begin('chat', `198.51.${stranger}.1`);

    await isRefused(begin('chat', '198.51.9.1'));
    for (let event = 0; event < 4; event++) void begin('chat', '192.0.2.1');
    await isRefused(begin('chat', '192.0.2.1'));

    await endAll();
    await underWay.during('chat', '198.51.9.1', async () => undefined);
  });

  it('of one piece, whoever sends, leave room for those of others', async () => {
    const { underWay, begin, endAll } = setUp();
    for (const piece of ['chat', 'shop']) await underWay.during(piece, '192.0.2.1', async () => undefined);
    for (let taken = 1; taken <= 4; taken++) {
      void begin('chat', '192.0.2.1');
      void begin('chat', `198.51.${taken}.1`);
    }

    await isRefused(begin('chat', '192.0.2.1'));
    await isRefused(begin('chat', '198.51.9.1'));
    void begin('shop', '192.0.2.1');
    const ofShop = begin('shop', '198.51.9.1');

    await endAll();
    await ofShop;
  });

  it('know no sender by an answer that proves nothing', async () => {
    const { underWay, begin, endAll } = setUp();
    await underWay.during('chat', '192.0.2.1', async () => undefined, false);
    for (let stranger = 1; stranger <= 4; stranger++) void begin('chat', `198.51.${stranger}.1`);

    await isRefused(begin('chat', '192.0.2.1'));

    await endAll();
  });

  it('know a sender for the piece alone of which it has sent something genuine', async () => {
    const { underWay, begin, endAll } = setUp();
    await underWay.during('weak', '192.0.2.1', async () => undefined);
    void begin('chat', '192.0.2.1');
    void begin('chat', '192.0.2.1');

    await isRefused(begin('chat', '192.0.2.1'));
    await endAll();
  });

  it.each([
    ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'],
    ['192.0.2.1', '192.0.2.254', '192.0.3.1'],
    ['::ffff:192.0.2.1', '192.0.2.2', '192.0.3.1'],
  ])('are bounded for a network, all of whose addresses one stranger may use: that of %s', async (one, same, other) => {
    const { underWay, begin, endAll } = setUp();
    void begin('chat', one);
    void begin('chat', same);

    await isRefused(begin('chat', one));
    await isRefused(begin('chat', same));
    await underWay.during('chat', other, async () => undefined);
    await isRefused(begin('chat', one));
    await endAll();
  });

  it('are one at a time for an address whose requests are refused, also a known one, until one is genuine', async () => {
    const { underWay, begin, endAll } = setUp();
    await underWay.during('chat', '192.0.2.1', async () => undefined);
    for (let times = 0; times < 20; times++)
      await expect(underWay.during('chat', '192.0.2.1', refused)).rejects.toBeInstanceOf(InvalidWebhookSignatureError);
    const first = begin('chat', '192.0.2.1');

    await isRefused(begin('chat', '192.0.2.1'));
    await endAll();
    await first;
    await Promise.all([1, 2, 3].map(() => underWay.during('chat', '192.0.2.1', async () => undefined)));
  });

  it('are not fewer for the neighbours of an address whose requests are refused', async () => {
    const { underWay, begin, endAll } = setUp();
    await underWay.during('chat', '192.0.2.1', async () => undefined);
    for (let times = 0; times < 20; times++) await underWay.during('chat', '192.0.2.9', refused).catch(() => undefined);

    const ofProvider = Promise.all([1, 2, 3].map(() => begin('chat', '192.0.2.1')));
    await endAll();
    await ofProvider;
  });

  it('make room when they fail', async () => {
    const { underWay } = setUp({ ofKnown: 2, ofStrangers: 2, ofStranger: 1 });

    await expect(underWay.during('chat', 'a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await underWay.during('chat', 'a', async () => 'done')).toBe('done');
  });
});
