import { filtersOf, isFiltered, listedIn, withFilter, withoutFilters } from './run-filters';

describe('filtersOf', () => {
  it('reads every filter under the name that the API gives it', () => {
    const search = new URLSearchParams(
      'flowId=f1&status=FAILED&status=TIMEOUT&createdAfter=2026-11-23T12:00:00.000Z&environment=TESTING&tags=vip,eu&failedStepName=step_2&fingerprint=ab12&waitingOn=human&flowRunIds=r1&parentRunId=r2&retryOfRunId=r3&includeArchived=true',
    );

    expect(filtersOf(search)).toEqual({
      flowId: 'f1',
      status: ['FAILED', 'TIMEOUT'],
      createdAfter: '2026-11-23T12:00:00.000Z',
      environment: 'TESTING',
      tags: ['vip', 'eu'],
      failedStepName: 'step_2',
      fingerprint: 'ab12',
      waitingOn: 'human',
      flowRunIds: ['r1'],
      parentRunId: 'r2',
      retryOfRunId: 'r3',
      includeArchived: true,
    });
  });

  it('leaves out what the API would refuse', () =>
    expect(filtersOf(new URLSearchParams('status=GONE&environment=MOON&waitingOn=godot&createdAfter=soon'))).toEqual(
      {},
    ));
});

describe('withFilter', () => {
  it('begins at the first page again', () =>
    expect(withFilter(new URLSearchParams('cursor=abc&flowId=f1'), 'status', ['FAILED']).toString()).toBe(
      'flowId=f1&status=FAILED',
    ));

  it('takes a filter away that has no value', () =>
    expect(withFilter(new URLSearchParams('flowId=f1'), 'flowId', ['']).toString()).toBe(''));
});

describe('withoutFilters', () => {
  it('stays in the project', () =>
    expect(withoutFilters(new URLSearchParams('projectId=p1&status=FAILED&cursor=abc')).toString()).toBe(
      'projectId=p1',
    ));
});

describe('isFiltered', () => {
  it('is neither because of the project nor because of the page', () =>
    expect(isFiltered(new URLSearchParams('projectId=p1&cursor=abc'))).toBe(false));
});

describe('listedIn', () => {
  it('takes commas and spaces as separators', () =>
    expect(listedIn(' vip, eu  night ')).toEqual(['vip', 'eu', 'night']));
});
