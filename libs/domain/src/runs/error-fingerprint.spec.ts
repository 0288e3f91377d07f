import { errorFingerprint, withFingerprint } from './error-fingerprint';
import { leastCpuMs } from '../testing/least-cpu-time';

describe('errorFingerprint', () => {
  it.each([
    ['numbers', 'Order 17 costs 3.50.', 'Order 99,000 costs 12.'],
    ['UUIDs', 'No run 0199f000-0000-7000-8000-0000000000aa.', 'No run 0199F000-0000-7000-8000-0000000000BB.'],
    ['hexadecimal numbers', 'At 0xdeadbeef of 9f86d081884c7d65.', 'At 0x1 of 60303ae22b998861.'],
    ['ids with digits', 'No customer cus_9XaB3kLm.', 'No customer cus_7QqW1zzTT.'],
    ['texts in quotes', `Unknown field "a 'b'" in 'x y'.`, `Unknown field "" in 'z'.`],
    ['texts in other quotes', 'Unknown `a` and “b”.', 'Unknown `c d` and “e f”.'],
    ['addresses', 'GET https://a.test/x?y=1 answered 500.', 'GET http://b.test:8080/z answered 502.'],
    ['mail addresses', 'No mailbox ada@example.com.', 'No mailbox grace.h+1@mail.example.org.'],
    ['times', 'Since 2026-01-01T10:00:00.000Z.', 'Since 2025-12-31 23:59:59 +02:00.'],
    ['paths', 'Cannot open /var/lib/a.txt now.', 'Cannot open C:\\files\\b now.'],
    ['white space', 'Gone   away', ' Gone\n\taway '],
    ['what comes after a thousand characters', `${'word '.repeat(200)}x`, `${'word '.repeat(200)}y`],
  ])('is the same when messages differ only in %s', (_, one, other) => {
    expect(errorFingerprint(other)).toBe(errorFingerprint(one));
  });

  it.each([
    ['words', 'Order 17 is unknown.', 'Order 17 is closed.'],
    ['words between apostrophes', "It can't read the user's name.", "It can't write the user's name."],
    ['what is there', 'Order 17 is unknown.', 'Order is unknown.'],
  ])('differs when messages differ in %s', (_, one, other) => {
    expect(errorFingerprint(other)).not.toBe(errorFingerprint(one));
  });

  it('is short, and quick also for a message made to be slow', async () => {
    const messages = ['a', '1a', 'a.', '/a', 'a@', '"', '0-', 'http:'].map((part) => part.repeat(500_000));
    const read = () => messages.forEach((message) => expect(errorFingerprint(message)).toMatch(/^[0-9a-f]{12}$/));

    expect(await leastCpuMs(read)).toBeLessThan(1_000);
  });

  it('goes with the step that failed', () => {
    const step = { name: 'pay', displayName: 'Pay', message: 'No card 7.' };

    expect(withFingerprint(step)).toEqual({ ...step, fingerprint: errorFingerprint('No card 8.') });
  });
});
