import { bulkBody, canActOnMatching } from './bulk-selection';

const UNTIL = '2026-11-24T12:00:00.000Z';

describe('bulkBody', () => {
  it('names the runs that were chosen, and nothing else', () =>
    expect(bulkBody('retry', { kind: 'chosen', ids: ['r1', 'r2'] })).toEqual({ flowRunIds: ['r1', 'r2'] }));

  it('is nothing without a run, because a call without a filter would mean all', () =>
    expect(bulkBody('retry', { kind: 'chosen', ids: [] })).toBeNull());

  it('takes the filters of the list, up to the moment at which the plan was made', () =>
    expect(bulkBody('archive', { kind: 'matching', filters: { flowId: 'f1', tags: ['vip'] }, until: UNTIL })).toEqual({
      flowId: 'f1',
      tags: ['vip'],
      status: undefined,
      createdBefore: UNTIL,
    }));

  it('keeps an end of the list that is earlier', () => {
    const createdBefore = '2026-11-20T00:00:00.000Z';

    expect(bulkBody('retry', { kind: 'matching', filters: { createdBefore }, until: UNTIL })).toMatchObject({
      createdBefore,
    });
  });

  it('leaves out statuses that the action does not apply to', () =>
    expect(
      bulkBody('cancel', { kind: 'matching', filters: { status: ['FAILED', 'PAUSED'] }, until: UNTIL }),
    ).toMatchObject({ status: ['PAUSED'] }));

  it.each([
    ['only runs of other statuses match', { status: ['FAILED' as const] }],
    ['only failed runs match, for a filter that cancelling does not have', { failedStepName: 'step_2' }],
    ['only runs with a failure of one kind match', { fingerprint: 'ab12' }],
    ['only runs that wait for a person match', { waitingOn: 'human' as const }],
    ['ids are filtered, which would stand for themselves', { flowRunIds: ['r1'] }],
  ])('never means more runs than are listed: %s', (_, filters) =>
    expect(bulkBody('cancel', { kind: 'matching', filters, until: UNTIL })).toBeNull(),
  );
});

describe('canActOnMatching', () => {
  it.each([{ flowRunIds: ['r1'] }, { waitingOn: 'human' as const }])('is not possible for %j', (filters) =>
    expect(canActOnMatching(filters)).toBe(false),
  );
});
