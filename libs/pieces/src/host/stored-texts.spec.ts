import { ReferringTexts } from '@millrace/domain';
import { HostUnderTest, RUN } from '../testing/a-piece-host';

const TOKEN = 'sesame-open';

describe('what an action stores', () => {
  const host = new HostUnderTest();
  const texts = new ReferringTexts(async () => new Map([['crm', TOKEN]]));

  beforeAll(() => texts.know(['crm']));

  it('has no value of a connection in a store entry, and the action reads it again', async () => {
    await host.output('store.put', { key: 'k', value: { token: TOKEN } }, { texts });
    expect(await host.output('store.get', { key: 'k' })).toEqual({ token: '**REDACTED**' });

    const list = { key: 'list', value: TOKEN };
    await host.output('store.add_to_list', list, { texts, run: { ...RUN, stepKey: 'a' } });
    expect(await host.output('store.get', { key: 'list' }, { texts })).toEqual([TOKEN]);
    expect(await host.output('store.remove_from_list', list, { texts, run: { ...RUN, stepKey: 'b' } })).toEqual([]);
    expect(await host.output('store.get', { key: 'k' }, { texts })).toEqual({ token: TOKEN });
  });

  it('has none in the key of a store entry, which is refused, but can be read and removed', async () => {
    const key = `k-${TOKEN}`;
    const message = expect.stringMatching(/^The key of the store has a value of a connection, /);
    for (const action of ['put', 'append', 'add_to_list'])
      expect(await host.run(`store.${action}`, { key, value: 'x' }, { texts })).toMatchObject({
        kind: 'failed',
        message,
      });
    expect(await host.output('store.get', { key }, { texts })).toBeNull();

    await host.output('store.put', { key, value: 'of an earlier release' }, { run: { ...RUN, stepKey: 'c' } });
    expect(await host.output('store.get', { key }, { texts })).toBe('of an earlier release');
    await host.output('store.remove_value', { key }, { texts, run: { ...RUN, stepKey: 'd' } });
    expect(await host.output('store.get', { key }, { texts })).toBeNull();
  });

  it('has none in the payload of a child or an event', async () => {
    const payload = { token: TOKEN };
    await host.output('subflows.call_flow', { flowId: 'f', payload }, { texts });
    await host.wait('subflows.call_flow', { flowId: 'f', payload, waitForResponse: true }, { texts });
    await host.output('events.emit', { name: 'n', data: payload }, { texts });

    const referring = { text: '{"token":"**REDACTED**"}', references: { to: [['crm', 'plain']], at: [[10, 0]] } };
    expect(host.children.started[0]?.start.payload).toEqual(referring);
    expect(host.children.prepared[0]?.payload).toEqual(referring);
    // The filters of listeners judge the data, which is hidden when it is stored.
    expect(host.events.published).toMatchObject([{ event: { data: '{"token":"sesame-open"}' }, texts }]);
  });
});
