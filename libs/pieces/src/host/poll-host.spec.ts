import { polledItem, ServiceUnavailableError } from '@millrace/domain';
import { defineTrigger, type PollContext } from '../framework/piece';
import { PollHostUnderTest } from '../testing/a-poll-host';
import { aPiece } from '../testing/a-piece-host';

type Poll = (context: PollContext<{ count: number }>) => Promise<{ name?: string; value: unknown }[]>;

function aHost(poll: Poll): PollHostUnderTest {
  const trigger = defineTrigger({
    displayName: 'New thing',
    description: '',
    resultType: 'POLLING',
    props: { count: { kind: 'number', displayName: 'Count', required: true } },
    poll,
  });
  return new PollHostUnderTest([aPiece({}, { triggers: { new_thing: trigger } })]);
}

const NAME = 'test.new_thing';

describe('PollHost', () => {
  it('calls the trigger with its input, coerced to its props', async () => {
    const host = aHost(async ({ input, flow }) => [{ value: { ...input, ...flow } }]);

    expect(await host.items(NAME, { count: '3', other: 1 })).toEqual([
      { value: { count: 3, id: 'flow_1', projectId: 'project_1' } },
    ]);
    expect(await host.failure(NAME, {})).toBe('The input "Count" (count) is required.');
  });

  it('shows the trigger the store that it left, and only what it left when it succeeded', async () => {
    let fails = false;
    const host = aHost(async ({ store }) => {
      const before = store.get('n') as number | null;
      store.put('n', (before ?? 0) + 1);
      store.put('gone', { a: [1] });
      store.delete('gone');
      if (fails) throw new Error('No.');
      return [{ value: before }];
    });

    expect(await host.items(NAME, { count: 1 })).toEqual([{ value: null }]);
    fails = true;
    expect(await host.failure(NAME, { count: 1 })).toBe('No.');
    fails = false;
    expect(await host.items(NAME, { count: 1 })).toEqual([{ value: 1 }]);
    expect(host.last.store).toEqual({ n: 2 });
  });

  it('hides values of connections in what is stored, and shows them to the trigger again', async () => {
    const host = aHost(async ({ store, input }) => {
      const before = store.get('next') as string | null;
      store.put('next', `https://x?key=sesame-open&n=${input.count}`);
      return [{ value: { before: before?.length, key: 'sesame-open' } }];
    });
    host.values.set('crm', 'sesame-open');
    const input = { count: 1, other: "{{connections['crm']}}" };

    await host.items(NAME, input);
    expect(host.last.store).toEqual({ next: 'https://x?key=**REDACTED**&n=1' });
    const found = await host.ask(NAME, input);

    if (found.kind !== 'found') throw new Error(JSON.stringify(found));
    const [item] = found.items.map((each) => polledItem(each, found.texts));
    expect(item?.payload).toMatchObject({ text: '{"before":29,"key":"**REDACTED**"}' });
  });

  it('begins with an empty store when the input of the trigger changes', async () => {
    const host = aHost(async ({ store, input }) => {
      const before = store.get('count');
      store.put('count', input.count);
      return [{ value: before }];
    });

    await host.items(NAME, { count: 1 });
    expect(await host.items(NAME, { count: 2 })).toEqual([{ value: null }]);
  });

  it('gives the same store back when the trigger has changed nothing', async () => {
    const host = aHost(async ({ store }) => {
      store.put('n', 1);
      return [];
    });
    await host.items(NAME, { count: 1 });
    const { store } = host.last;

    await host.items(NAME, { count: 1 });

    expect(host.last.store).toBe(store);
  });

  it.each([
    [
      'a value',
      (context: PollContext<unknown>) => context.store.put('a', 'x'.repeat(600_000)),
      'A value of the store has at most 512 KB.',
    ],
    [
      'a key',
      (context: PollContext<unknown>) => context.store.put('a'.repeat(129), 1),
      'A key of the store has 1 to 128 characters.',
    ],
  ])('fails a trigger whose store has %s that is too large', async (_what, act, message) => {
    const host = aHost(async (context) => {
      act(context);
      return [];
    });

    expect(await host.failure(NAME, { count: 1 })).toBe(message);
  });

  it('rejects when a service of ours is away, and when the signal aborts', async () => {
    const away = aHost(() => Promise.reject(new ServiceUnavailableError('The database is away.', 1)));
    await expect(away.ask(NAME, { count: 1 })).rejects.toBeInstanceOf(ServiceUnavailableError);

    const stop = new AbortController();
    const silent = aHost(() => new Promise(() => undefined));
    const asked = silent.ask(NAME, { count: 1 }, stop.signal);
    stop.abort(new Error('The worker stops.'));
    await expect(asked).rejects.toThrow('The worker stops.');
  });

  it('fails for a trigger that does not poll', async () => {
    const host = new PollHostUnderTest();

    expect(await host.failure('webhook.catch_webhook', {})).toBe(
      'The piece webhook has no trigger catch_webhook that polls.',
    );
    expect(await host.failure('nothing.at_all', {})).toBe('The piece nothing has no trigger at_all that polls.');
  });
});
