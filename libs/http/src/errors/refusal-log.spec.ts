import { Tally } from '@millrace/domain';
import { RefusalLog } from './refusal-log';

describe('RefusalLog', () => {
  const warn = jest.fn();
  const msg = 'Requests were refused in the last minute.';
  let refused: Tally<string>;
  let log: RefusalLog;

  beforeEach(() => {
    jest.useFakeTimers();
    warn.mockClear();
    refused = new Tally();
    log = new RefusalLog(refused, { warn });
  });
  afterEach(() => {
    log.close();
    jest.useRealTimers();
  });

  it('writes a line for each class and minute, with the count', () => {
    refused.add('RATE_LIMITED', 1_000);
    refused.add('AUTHENTICATION');
    expect(warn).not.toHaveBeenCalled();

    jest.advanceTimersByTime(60_000);
    refused.add('RATE_LIMITED');
    jest.advanceTimersByTime(600_000);

    expect(warn.mock.calls).toEqual([
      [{ msg, status: 429, code: 'RATE_LIMITED', count: 1_000 }, 'Refusals'],
      [{ msg, status: 401, code: 'AUTHENTICATION', count: 1 }, 'Refusals'],
      [{ msg, status: 429, code: 'RATE_LIMITED', count: 1 }, 'Refusals'],
    ]);
  });

  it.each(['VALIDATION', 'ENTITY_NOT_FOUND', 'FLOW_IN_USE', 'INTERNAL_ERROR', 'OF_ANOTHER_VERSION'])(
    'does not tell of %s',
    (code) => {
      refused.add(code);
      jest.advanceTimersByTime(60_000);
      expect(warn).not.toHaveBeenCalled();
    },
  );

  it('writes what it has counted when the app closes, once', () => {
    refused.add('SERVICE_UNAVAILABLE', 3);
    log.close();
    log.close();
    expect(warn.mock.calls).toEqual([[{ msg, status: 503, code: 'SERVICE_UNAVAILABLE', count: 3 }, 'Refusals']]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
