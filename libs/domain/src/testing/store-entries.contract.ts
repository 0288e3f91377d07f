import { ReferringTexts } from '../connections/referring-texts';
import { type StoreEntries, type StorePlace } from '../store/store-entries';
import { anId } from './an-id';

export interface StoreEntriesUnderTest {
  entries: StoreEntries;
  /** The id of an existing project without store entries. */
  aProjectId(): Promise<string>;
}

/** The promises of every StoreEntries. `subject` returns the same entries each time. */
export function describeStoreEntries(name: string, subject: () => StoreEntriesUnderTest): void {
  describe(`StoreEntries: ${name}`, () => {
    let entries: StoreEntries;
    let place: StorePlace;

    beforeEach(async () => {
      entries = subject().entries;
      const projectId = await subject().aProjectId();
      place = { projectId, scope: 'PROJECT', scopeId: projectId, key: 'counter' };
    });

    const put = (at: StorePlace, value: unknown, stepKey: string | null = null): Promise<unknown> =>
      entries.change(at, stepKey, () => value);
    const append = (text: string, stepKey: string | null): Promise<unknown> =>
      entries.change(place, stepKey, (value) => `${(value as string | null) ?? ''}${text}`);

    it('has null where nothing was put', async () => {
      expect(await entries.get(place)).toBeNull();
    });

    it.each([[0], [''], [false], ['text'], [[1, [2]]], [{ a: { b: null } }], ['nested "quotes" \\u0041 and 😀']])(
      'gives back %j as it was put',
      async (value) => {
        expect(await put(place, value)).toEqual(value);
        expect(await entries.get(place)).toEqual(value);
      },
    );

    it('keeps references to values of connections, which readers see as marks', async () => {
      const texts = new ReferringTexts(async () => new Map([['crm', 'sesame-open']]));
      await texts.know(['crm']);
      const later = new ReferringTexts(async () => new Map([['crm', 'sesame-shut']]));

      const put = await entries.change(place, 'run:step', () => ({ token: 'Bearer sesame-open' }), texts);

      expect(put).toEqual({ token: 'Bearer sesame-open' });
      expect(await entries.change(place, 'run:step', () => 1, texts)).toEqual(put);
      expect(await entries.get(place)).toEqual({ token: 'Bearer **REDACTED**' });
      expect((await entries.list({ projectId: place.projectId }, { limit: 10, cursor: null })).data).toMatchObject([
        { value: { token: 'Bearer **REDACTED**' } },
      ]);
      expect(await entries.get(place, later)).toEqual({ token: 'Bearer sesame-shut' });
      const changed = await entries.change(place, null, (value) => [value, 'x'], later);
      expect(changed).toEqual([{ token: 'Bearer sesame-shut' }, 'x']);
      expect(await entries.get(place)).toEqual([{ token: 'Bearer **REDACTED**' }, 'x']);
    });

    it('writes several values together, and removes others, whatever the same step did before', async () => {
      const other = { ...place, key: 'other' };
      const flow = { flowId: anId(), projectId: place.projectId };
      await put(place, 1, 'run:step');
      await put(other, 1, 'run:step');

      await entries.write(flow, [
        { scope: 'PROJECT', key: 'counter', value: [2] },
        { scope: 'PROJECT', key: 'other', value: null },
      ]);

      expect(await entries.get(place)).toEqual([2]);
      expect(await entries.get(other)).toBeNull();
      expect(await put(place, 3, 'run:step')).toBe(3);
    });

    it('shows a change the value before it', async () => {
      await put(place, [1]);

      expect(await entries.change(place, null, (value) => [...(value as number[]), 2])).toEqual([1, 2]);
    });

    it('shows null to the first change of a place', async () => {
      const seen: unknown[] = [];

      await entries.change(place, null, (value) => seen.push(value));

      expect(seen).toEqual([null]);
    });

    it.each([[null], [undefined]])('keeps no entry that a change made %s', async (nothing) => {
      await put(place, 1);

      expect(await put(place, nothing)).toBeNull();

      expect(await entries.get(place)).toBeNull();
      expect((await entries.list({ projectId: place.projectId }, { limit: 10, cursor: null })).data).toEqual([]);
    });

    it('removes what is not there without a word', async () => {
      expect(await put(place, null)).toBeNull();
    });

    it('leaves the value as it was when a change throws, and passes the error on', async () => {
      await put(place, 'before');
      const refuse = (): never => {
        throw new TypeError('not a list');
      };

      await expect(entries.change(place, 'run:step', refuse)).rejects.toThrow(new TypeError('not a list'));

      expect(await entries.get(place)).toBe('before');
      expect(await append('+after', 'run:step')).toBe('before+after');
    });

    it.each([
      ['another key', { key: 'other' }],
      ['another scope', { scope: 'FLOW' }],
      ['another flow', { scopeId: anId() }],
    ] as const)('keeps the value of %s apart', async (_, difference) => {
      await put(place, 'here');
      await put({ ...place, ...difference }, 'there');

      expect(await entries.get(place)).toBe('here');
      expect(await entries.get({ ...place, ...difference })).toBe('there');
    });

    it('keeps the value of another project apart', async () => {
      const foreign = { ...place, projectId: await subject().aProjectId() };

      await put(place, 'ours');

      expect(await entries.get(foreign)).toBeNull();
      expect((await entries.list({ projectId: foreign.projectId }, { limit: 10, cursor: null })).data).toEqual([]);
    });

    it('makes a change once when its step is repeated', async () => {
      await append('a', 'run:step');

      expect(await append('a', 'run:step')).toBe('a');
      expect(await entries.get(place)).toBe('a');
    });

    it('does not even call a change that is repeated', async () => {
      const change = jest.fn(() => 1);
      await entries.change(place, 'run:step', change);

      await entries.change(place, 'run:step', change);

      expect(change).toHaveBeenCalledTimes(1);
    });

    it('makes every change that has no step', async () => {
      await append('a', null);

      expect(await append('a', null)).toBe('aa');
    });

    it('makes the changes of steps that follow each other', async () => {
      await append('a', 'run:one');
      await append('b', 'run:two');

      expect(await append('c', 'run:one')).toBe('abc');
    });

    it('remembers the step for its own place only', async () => {
      await append('a', 'run:step');

      expect(await put({ ...place, key: 'other' }, 1, 'run:step')).toBe(1);
    });

    it('loses none of many changes at the same time', async () => {
      const steps = Array.from({ length: 20 }, (_, index) => `run:step_${index}`);

      await Promise.all(steps.map((step) => entries.change(place, step, (value) => Number(value ?? 0) + 1)));

      expect(await entries.get(place)).toBe(steps.length);
    });

    it('lists a page at a time, the newest first', async () => {
      for (const key of ['one', 'two', 'three']) await put({ ...place, key }, key.length);

      const first = await entries.list({ projectId: place.projectId }, { limit: 2, cursor: null });
      const second = await entries.list({ projectId: place.projectId }, { limit: 2, cursor: first.next });

      expect(first.data.map(({ key, value }) => [key, value])).toEqual([
        ['three', 5],
        ['two', 3],
      ]);
      expect(second.data.map(({ key }) => key)).toEqual(['one']);
      expect(second.next).toBeNull();
    });

    it('lists an entry with its place and its times', async () => {
      await put(place, { a: 1 });

      const [entry] = (await entries.list({ projectId: place.projectId }, { limit: 1, cursor: null })).data;

      expect(entry).toMatchObject({ ...place, value: { a: 1 } });
      expect(entry?.updated.getTime()).toBeGreaterThanOrEqual(entry?.created.getTime() ?? NaN);
    });

    it.each([
      [{ scope: 'FLOW' }, ['flow']],
      [{ scope: 'PROJECT' }, ['same', 'counter']],
      [{ key: 'same' }, ['same']],
      [{ key: 'sam' }, []],
    ] as const)('lists what %j names', async (filter, keys) => {
      await put(place, 1);
      await put({ ...place, key: 'same' }, 2);
      await put({ ...place, scope: 'FLOW', scopeId: anId(), key: 'flow' }, 3);

      const page = await entries.list({ projectId: place.projectId, ...filter }, { limit: 10, cursor: null });

      expect(page.data.map(({ key }) => key)).toEqual(keys);
    });
  });
}
