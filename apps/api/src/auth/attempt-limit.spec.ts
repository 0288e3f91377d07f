import { RateLimitedError } from '@millrace/domain';
import { AttemptLimit } from './attempt-limit';

const at = (seconds: number): Date => new Date(seconds * 1000);

describe('AttemptLimit', () => {
  it('refuses one attempt too many and says when the window ends', () => {
    const limit = new AttemptLimit(2, 60);
    limit.count('a', at(0));
    limit.count('a', at(10));
    expect(() => limit.count('a', at(20))).toThrow(RateLimitedError);
    expect(() => limit.count('a', at(20))).toThrow(expect.objectContaining({ retryAfterSeconds: 40, limit: 2 }));
  });

  it('counts each name for itself, and begins anew after the window', () => {
    const limit = new AttemptLimit(1, 60);
    limit.count('a', at(0));
    expect(() => limit.count('b', at(0))).not.toThrow();
    expect(() => limit.count('a', at(60))).not.toThrow();
  });

  it('forgets a name that has shown what it is', () => {
    const limit = new AttemptLimit(1, 60);
    limit.count('a', at(0));
    limit.forget('a');
    expect(() => limit.count('a', at(1))).not.toThrow();
  });
});
