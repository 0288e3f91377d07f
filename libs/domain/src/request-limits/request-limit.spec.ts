import { RateLimitedError } from '../errors/rate-limited.error';
import { RequestCounts } from './request-counts';
import { RequestLimit } from './request-limit';

class CountsInMemory extends RequestCounts {
  isAway = false;
  private readonly counts = new Map<string, number>();

  add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    if (this.isAway) return Promise.reject(new Error('away'));
    const told = [...counts].map(([name, count]): [string, number] => {
      const key = `${minute} ${name}`;
      this.counts.set(key, (this.counts.get(key) ?? 0) + count);
      return [name, this.counts.get(key) ?? 0];
    });
    return Promise.resolve(new Map(told));
  }
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second));

describe('the limit of requests in a minute', () => {
  const shared = new CountsInMemory();
  const makeProcess = () => new RequestLimit(shared);
  const takes = (limit: RequestLimit, times: number, name = 'key', now = at(0)) =>
    Array.from({ length: times }, () => {
      try {
        return limit.take(name, 3, now).remaining;
      } catch (error) {
        if (!(error instanceof RateLimitedError)) throw error;
        return error.retryAfterSeconds;
      }
    });

  it('admits as many as it says, tells what is left, and when there is room again', () => {
    expect(takes(makeProcess(), 5, 'a', at(20))).toEqual([2, 1, 0, 40, 40]);
  });

  it('counts each name by itself, and begins anew with each minute', () => {
    const limit = makeProcess();
    takes(limit, 4, 'b');
    expect(takes(limit, 1, 'c')).toEqual([2]);
    expect(takes(limit, 1, 'b', at(60))).toEqual([2]);
  });

  it('counts what other processes have admitted, once they have told', async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    takes(one, 2, 'd');
    takes(other, 1, 'd');
    await one.tell();
    await other.tell();
    expect(takes(other, 1, 'd')).toEqual([60]);
    expect(takes(one, 1, 'd')).toEqual([0]);
    await one.tell();
    expect(takes(one, 1, 'd')).toEqual([60]);
  });

  it('holds in each process while the counts cannot be told, and tells them later', async () => {
    const [one, other] = [makeProcess(), makeProcess()];
    takes(one, 3, 'e');
    shared.isAway = true;
    await expect(one.tell()).rejects.toThrow('away');
    expect(takes(one, 1, 'e')).toEqual([60]);
    shared.isAway = false;
    await one.tell();
    takes(other, 1, 'e');
    await other.tell();
    expect(takes(other, 1, 'e')).toEqual([60]);
  });

  it('does not begin an earlier minute anew when the clock is set back', () => {
    const limit = makeProcess();
    takes(limit, 3, 'f', at(60));
    expect(takes(limit, 1, 'f', at(59))).not.toEqual([2]);
  });
});
