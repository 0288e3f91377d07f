import { BuiltInPieces } from '../built-in-pieces';
import { HostUnderTest } from '../testing/a-piece-host';

describe('events.emit', () => {
  const subject = new HostUnderTest();

  it('publishes an event once for its step', async () => {
    const output = await subject.output('events.emit', { name: 'paid', data: { total: 5 } }, { depth: 3 });

    expect(output).toEqual({ id: 'run_1:step_1', runs: 2 });
    expect(subject.events.published).toEqual([
      {
        event: { id: 'run_1:step_1', name: 'paid', data: '{"total":5}' },
        source: { projectId: 'project_1', triggeredBy: 'subflow', depth: 4 },
      },
    ]);
  });

  it('takes an id of its author, and no data', async () => {
    expect(await subject.output('events.emit', { name: 'paid', id: 'order-5' })).toEqual({ id: 'order-5', runs: 2 });
    expect(subject.events.published.at(-1)?.event).toEqual({ id: 'order-5', name: 'paid', data: 'null' });
  });

  it.each([
    [{ data: 1 }, 'The input "Name" (name) is required.'],
    [{ name: 'x'.repeat(201) }, 'The name of an event has at most 200 characters.'],
    [{ name: 'x', id: 'x'.repeat(256) }, 'The id of an event has at most 255 characters.'],
  ])('refuses %j', async (input, message) =>
    expect(await subject.run('events.emit', input)).toMatchObject({ kind: 'failed', message }),
  );
});

describe('events.on_event', () => {
  const onEvent = new BuiltInPieces().findTrigger('events', '', 'on_event');
  const filter = [[{ firstValue: '{{trigger.data.total}}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: 5 }]];

  it('listens to a name, with a filter or without', () => {
    expect(onEvent?.plan({ name: 'paid', filter })).toEqual({ kind: 'APP_WEBHOOK', event: { name: 'paid', filter } });
    expect(onEvent?.plan({ name: 'paid' })).toEqual({ kind: 'APP_WEBHOOK', event: { name: 'paid', filter: null } });
  });

  it.each([
    [{}, 'The input "Name" (name) is required.'],
    [{ name: '{{trigger.x}}' }, 'The input "Name" (name) cannot be an expression.'],
    [{ name: 'x'.repeat(201) }, 'The name of an event has at most 200 characters.'],
    [{ name: 'paid', filter: [[1]] }, 'The filter must be a list of groups, each a list of conditions.'],
  ])('cannot be published with %j', (input, problem) => expect(onEvent?.inputProblems(input)).toEqual([problem]));

  it('can be published with a filter', () => expect(onEvent?.inputProblems({ name: 'paid', filter })).toEqual([]));
});
