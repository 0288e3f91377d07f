import { randomUUID } from 'node:crypto';
import type { IdempotencyRecords, IdempotentRequest, KeptAnswer } from '../idempotency/idempotency-records';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const start = new Date('2026-01-01T00:00:00.000Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);

const answer: KeptAnswer = {
  statusCode: 201,
  body: '{"name":"nul \\u0000, pair 😀, order","b":1,"a":2.50}',
  headers: { etag: '"1"', 'content-type': 'application/json; charset=utf-8' },
};

const aRequest = (overrides: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  principal: 'user_1',
  key: randomUUID(),
  requestHash: 'a'.repeat(64),
  ...overrides,
});

/** The promises of every IdempotencyRecords. `records` returns the same records each time. */
export function describeIdempotencyRecords(name: string, records: () => IdempotencyRecords): void {
  describe(name, () => {
    it('tells exactly one of many callers at once that it is the first', async () => {
      const request = aRequest();

      const claims = await Promise.all(Array.from({ length: 10 }, () => records().claim(request, start)));

      const kinds = claims.map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['first', ...Array.from({ length: 9 }, () => 'in-progress')]);
    });

    it.each([
      ['a body', answer],
      ['no body and no headers', { statusCode: 204, body: null, headers: {} }],
    ])('gives back an answer with %s exactly as it was kept', async (_what, kept) => {
      const request = aRequest();
      await records().claim(request, start);

      await records().keep(request, kept);

      expect(await records().claim(request, after(1_000))).toEqual({ kind: 'answered', answer: kept });
    });

    it('knows another request under the same key, answered or not', async () => {
      const request = aRequest();
      const other = { ...request, requestHash: 'b'.repeat(64) };
      await records().claim(request, start);
      expect(await records().claim(other, start)).toEqual({ kind: 'reused' });

      await records().keep(request, answer);

      expect(await records().claim(other, start)).toEqual({ kind: 'reused' });
      expect(await records().claim(request, start)).toEqual({ kind: 'answered', answer });
    });

    it('has nothing to do with the same key of another principal', async () => {
      const request = aRequest();
      await records().claim(request, start);
      await records().keep(request, answer);

      expect(await records().claim({ ...request, principal: 'api_key:1' }, start)).toEqual({ kind: 'first' });
    });

    it('gives a released key to the next caller, whatever it asks', async () => {
      const request = aRequest();
      await records().claim(request, start);

      await records().release(request);

      expect(await records().claim({ ...request, requestHash: 'b'.repeat(64) }, start)).toEqual({ kind: 'first' });
    });

    it('gives an abandoned claim to one other caller after a minute', async () => {
      const request = aRequest();
      await records().claim(request, start);
      expect(await records().claim(request, after(MINUTE_MS - 1))).toEqual({ kind: 'in-progress' });

      const claims = await Promise.all([1, 2].map(() => records().claim(request, after(MINUTE_MS + 1))));

      expect(claims.map(({ kind }) => kind).sort()).toEqual(['first', 'in-progress']);
    });

    it('gives an abandoned claim to no other request', async () => {
      const request = aRequest();
      await records().claim(request, start);

      const claim = await records().claim({ ...request, requestHash: 'b'.repeat(64) }, after(2 * MINUTE_MS));

      expect(claim).toEqual({ kind: 'reused' });
    });

    it('forgets an answer after 24 hours, and not before', async () => {
      const request = aRequest();
      await records().claim(request, start);
      await records().keep(request, answer);
      expect((await records().claim(request, after(DAY_MS - 1_000))).kind).toBe('answered');

      expect((await records().claim(request, after(DAY_MS + 1_000))).kind).toBe('first');
      expect((await records().claim(request, after(DAY_MS + 2_000))).kind).toBe('in-progress');
    });
  });
}
