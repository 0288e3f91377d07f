import { reasonWords, runDuration, triggerWords, waitWords } from './run-words';

const SINCE = '2026-11-24T12:00:00.000Z';
const NOW = Date.parse('2026-11-24T12:03:05.000Z');

describe('runDuration', () => {
  it('is the time from the start to the end', () =>
    expect(runDuration({ startTime: SINCE, finishTime: '2026-11-24T12:00:00.048Z' }, NOW)).toBe(48));

  it('goes on until now while the run has not ended', () =>
    expect(runDuration({ startTime: SINCE, finishTime: null }, NOW)).toBe(185_000));

  it('is not known before a worker has begun the run', () =>
    expect(runDuration({ startTime: null, finishTime: null }, NOW)).toBeNull());

  it('is never below nothing, when the clocks differ', () =>
    expect(runDuration({ startTime: SINCE, finishTime: null }, NOW - 600_000)).toBe(0));
});

describe('waitWords', () => {
  it('says for whom a run waits, and for how long it has', () =>
    expect(waitWords({ kind: 'human', since: SINCE }, NOW)).toBe('has waited 3 min 5 s for a person'));

  it('says the rule of the flow that makes a run wait', () =>
    expect(waitWords({ kind: 'worker', reason: 'One run at a time.', since: SINCE }, NOW)).toBe(
      'One run at a time. It has waited for 3 min 5 s.',
    ));

  it('says until when a run waits for a moment', () =>
    expect(waitWords({ kind: 'timer', since: SINCE, until: SINCE }, NOW)).toMatch(/^waits until 24 Nov 2026, /));
});

describe('reasonWords', () => {
  it('names the step that failed with its message', () => {
    const failedStep = { name: 'step_2', displayName: 'Add up', message: 'TypeError: not a function' };

    expect(reasonWords({ startTime: SINCE, failedStep, statusReason: null }, NOW)).toBe(
      'Add up: TypeError: not a function',
    );
  });

  it('does not call a run waiting that a worker executes', () => {
    const waitingOn = { kind: 'worker' as const, since: SINCE };

    expect(reasonWords({ startTime: SINCE, waitingOn, statusReason: null }, NOW)).toBe('');
    expect(reasonWords({ startTime: null, waitingOn, statusReason: null }, NOW)).toBe(
      'has waited 3 min 5 s for a worker',
    );
  });

  it('is empty for a run of which nothing is to be said', () =>
    expect(reasonWords({ startTime: SINCE, statusReason: null }, NOW)).toBe(''));
});

describe('triggerWords', () => {
  it.each([
    ['webhook', 'webhook'],
    ['api_key:01a20bac', 'API key'],
    ['01a20bac-9966-715c-9127-37ff09af4a78', 'person'],
    ['something_new', 'something_new'],
  ])('of %s is "%s"', (triggeredBy, words) => expect(triggerWords({ triggeredBy })).toBe(words));

  it('name the person or the key', () => {
    expect(triggerWords({ triggeredBy: '019a0000-0000-7000-8000-000000000000', triggeredByName: 'Ada' })).toBe('Ada');
    expect(triggerWords({ triggeredBy: 'api_key:1', triggeredByName: 'Nightly' })).toBe('API key Nightly');
  });
});
