import { addressOf, shownView, viewOf, viewsIn, withoutView, withView } from './saved-views-kept';

const NOW = Date.parse('2026-11-26T12:00:00.000Z');
const failures = new URLSearchParams('projectId=p1&status=FAILED&createdAfter=2026-11-26T11:00:00.000Z&cursor=c');

describe('a saved view', () => {
  it('has the filters, and the time as how long ago it was', () =>
    expect(viewOf('Failures', failures, NOW)).toEqual({
      name: 'Failures',
      filters: 'status=FAILED',
      sinceMinutes: 60,
    }));

  it('moves with the time, in the project that is shown', () => {
    const view = viewOf('Failures', failures, NOW);

    const address = addressOf(view, new URLSearchParams('projectId=p2&tags=paid'), NOW + 3_600_000);

    expect(address.toString()).toBe('status=FAILED&projectId=p2&createdAfter=2026-11-26T12%3A00%3A00.000Z');
  });

  it('is known again in an address, whatever the order of its filters', () => {
    const view = viewOf('Mine', new URLSearchParams('status=FAILED&flowId=f1'), NOW);

    expect(shownView([view], new URLSearchParams('projectId=p1&flowId=f1&status=FAILED'))).toBe(view);
    expect(shownView([view], new URLSearchParams('projectId=p1&flowId=f1'))).toBeUndefined();
  });

  it('takes the place of one with its name, and can be forgotten', () => {
    const views = withView(withView([], { name: 'A', filters: 'x=1' }), { name: 'A', filters: 'x=2' });

    expect(views).toEqual([{ name: 'A', filters: 'x=2' }]);
    expect(withoutView(views, 'A')).toEqual([]);
  });

  it.each(['not JSON', '{}', '[1, null, {"name": 2}]', null])('is not found in %j', (text) =>
    expect(viewsIn(text)).toEqual([]),
  );
});
