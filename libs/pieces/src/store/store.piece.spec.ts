import { HostUnderTest, RUN } from '../testing/a-piece-host';

describe('store', () => {
  let subject: HostUnderTest;
  let steps: number;
  beforeEach(() => {
    subject = new HostUnderTest();
    steps = 0;
  });

  const nextStep = () => ({ run: { ...RUN, stepKey: `run_1:step_${steps++}` } });
  const act = (action: string, input: Record<string, unknown>) =>
    subject.run(`store.${action}`, { key: 'k', ...input }, nextStep());
  const output = (action: string, input: Record<string, unknown> = {}) =>
    subject.output(`store.${action}`, { key: 'k', ...input }, nextStep());

  it.each([[{ a: [1] }], ['text'], ['{"looks": "like JSON"}'], [''], [0], [false]])('keeps %j', async (value) => {
    expect(await output('put', { value })).toEqual(value);
    expect(await output('get')).toEqual(value);
  });

  it('has null where nothing is, or the default value', async () => {
    expect(await output('get')).toBeNull();
    expect(await output('get', { defaultValue: { n: 0 } })).toEqual({ n: 0 });
    await output('put', { value: false });
    expect(await output('get', { defaultValue: 1 })).toBe(false);
  });

  it.each([[null], [undefined]])('removes a key by putting %s', async (value) => {
    await output('put', { value: 1 });

    expect(await output('put', { value })).toBeNull();
    expect(await output('get')).toBeNull();
  });

  it('appends text', async () => {
    expect(await output('append', { value: 'a' })).toBe('a');
    expect(await output('append', { value: 5 })).toBe('a5');
  });

  it('appends once when the step is repeated', async () => {
    const once = { run: { ...RUN, stepKey: 'run_1:once' } };
    await subject.output('store.append', { key: 'k', value: 'a' }, once);

    expect(await subject.output('store.append', { key: 'k', value: 'a' }, once)).toBe('a');
  });

  it('adds items to a list, and removes those that are equal', async () => {
    expect(await output('add_to_list', { value: { a: 1 } })).toEqual([{ a: 1 }]);
    expect(await output('add_to_list', { value: 'b' })).toEqual([{ a: 1 }, 'b']);
    expect(await output('add_to_list', { value: { a: 1 } })).toEqual([{ a: 1 }, 'b', { a: 1 }]);

    expect(await output('remove_from_list', { value: 'c' })).toHaveLength(3);
    expect(await output('remove_from_list', { value: { a: 1 } })).toEqual(['b']);
    expect(await output('remove_from_list', { value: 'b' })).toEqual([]);
  });

  it('has nothing to remove where nothing is', async () => {
    expect(await output('remove_from_list', { value: 1 })).toBeNull();
    expect(await output('remove_value')).toBeNull();
  });

  it('removes a value', async () => {
    await output('put', { value: 1 });

    expect(await output('remove_value')).toBeNull();
    expect(await output('get')).toBeNull();
  });

  it.each([
    ['append', { value: 'a' }, 5, 'The value of "k" is not text, so nothing can be appended to it.'],
    ['add_to_list', { value: 'a' }, 'text', 'The value of "k" is not a list.'],
    ['remove_from_list', { value: 'a' }, {}, 'The value of "k" is not a list.'],
  ])('fails %s on a value of another kind', async (action, input, value, message) => {
    await output('put', { value });

    expect(await act(action, input)).toMatchObject({ kind: 'failed', message });
    expect(await output('get')).toEqual(value);
  });

  it('keeps the scopes apart, as well as runs, flows and projects', async () => {
    const read = (scope: string, run: Partial<typeof RUN>) =>
      subject.output('store.get', { key: 'k', scope }, { run: { ...RUN, ...run } });
    for (const scope of ['PROJECT', 'FLOW', 'RUN']) await output('put', { scope, value: scope });

    expect(await read('PROJECT', { id: 'run_2', flowId: 'flow_2' })).toBe('PROJECT');
    expect(await read('FLOW', { id: 'run_2' })).toBe('FLOW');
    expect(await read('RUN', {})).toBe('RUN');
    expect(await read('PROJECT', { projectId: 'project_2' })).toBeNull();
    expect(await read('FLOW', { flowId: 'flow_2' })).toBeNull();
    expect(await read('RUN', { id: 'run_2' })).toBeNull();
  });

  it('uses the scope of the project when none is named', async () => {
    await output('put', { value: 1 });

    expect(await output('get', { scope: 'PROJECT' })).toBe(1);
  });

  it.each(['get', 'put', 'append', 'add_to_list', 'remove_from_list', 'remove_value'])(
    'refuses a key that is too long: %s',
    async (action) => {
      expect(await act(action, { key: 'x'.repeat(128), value: 'a' })).toMatchObject({ kind: 'value' });
      expect(await act(action, { key: 'x'.repeat(129), value: 'a' })).toMatchObject({
        message: 'A key has at most 128 characters, and this one has 129.',
      });
    },
  );

  it('refuses a value over 512 KB and keeps the one it had', async () => {
    const limit = 'x'.repeat(512 * 1_024 - 2);
    expect(await act('put', { value: limit })).toMatchObject({ kind: 'value' });

    expect(await act('append', { value: 'y' })).toMatchObject({
      message: 'The value of "k" would have 513 KB, which is more than the limit of 512 KB.',
    });
    expect(await output('get')).toBe(limit);
  });
});
