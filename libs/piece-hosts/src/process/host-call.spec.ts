import { HostCall, type AskedOfCall } from './host-call';

/** A call whose services are ended by the test, and the names of those that were begun. */
function aCall() {
  const begun: string[] = [];
  const service = (name: string) => () => {
    begun.push(name);
    return Promise.resolve(name);
  };
  const names = ['files.read', 'flows', 'store.get', 'store.put'];
  const call = new HostCall(1, Object.fromEntries(names.map((name) => [name, service(name)])));
  return { call, begun };
}

const anAsk = (service: string): AskedOfCall => ({ type: 'ask', id: 1, ask: 1, service, args: [] });

describe('a call of a host', () => {
  it('reads what may be large one after the other, each after the one before was written', async () => {
    const { call, begun } = aCall();
    const served = ['files.read', 'flows', 'files.read'].map((name) => call.serve(anAsk(name), 100));
    expect(begun).toEqual(['files.read']);

    call.answered(anAsk('files.read'), 100);
    expect(begun).toEqual(['files.read', 'flows']);
    call.answered(anAsk('flows'), 100);
    expect(begun).toEqual(['files.read', 'flows', 'files.read']);
    expect(await served[2]).toBe('files.read');
  });

  it('reads few values of the store at once, and writes without waiting', () => {
    const { call, begun } = aCall();
    for (let n = 0; n < 20; n++) void call.serve(anAsk('store.get'), 100);
    for (let n = 0; n < 20; n++) void call.serve(anAsk('store.put'), 100);

    expect(begun).toEqual([...Array<string>(8).fill('store.get'), ...Array<string>(20).fill('store.put')]);
  });

  it('reads nothing more after its end', () => {
    const { call, begun } = aCall();
    for (let n = 0; n < 3; n++) void call.serve(anAsk('files.read'), 100);
    call.end();
    call.answered(anAsk('files.read'), 100);

    expect(begun).toEqual(['files.read']);
  });

  it.each([
    ['asks', 65, 100],
    ['bytes', 3, 6 * 1024 * 1024],
  ])('has a bound on its open %s', (_what, amount, bytes) => {
    const { call } = aCall();
    const served = Array.from({ length: amount }, () => call.serve(anAsk('store.put'), bytes));
    expect(served.indexOf(null)).toBe(amount - 1);
  });

  it('asks for so much in all', () => {
    const { call } = aCall();
    for (let n = 0; n < 10_000; n++) expect(call.takes(16)).toBe(true);
    expect(call.takes(16)).toBe(false);
  });

  it('costs so much in all, with its answers', () => {
    const { call } = aCall();
    for (let n = 0; n < 20; n++) expect(call.takes(250_000)).toBe(true);
    call.spend(15_000_000);
    expect(call.takes(16)).toBe(false);
  });
});
