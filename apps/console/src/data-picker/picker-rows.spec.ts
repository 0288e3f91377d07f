import { foundRows, idOf, rowsOf, type PickerStep } from './picker-rows';

const body: unknown = JSON.parse(
  '{"customer": "Ada", "lines": [{"price": 40}, {"price": 2}], "__proto__": 1, "none": {}}',
);
const steps: PickerStep[] = [
  { name: 'trigger', displayName: 'Catch Webhook', sample: { value: { body }, cuts: new Map() }, says: 'a moment ago' },
  { name: 'step_1', displayName: 'Add up', sample: null, says: 'no data yet' },
];
const open = (...paths: (string | number)[][]) => {
  const ids = new Set(paths.map(idOf));
  return { isOpen: (id: string) => ids.has(id), most: () => 50 };
};
const shape = (rows: ReturnType<typeof rowsOf>) =>
  rows.map(
    ({ level, label, isOpen }) => `${'  '.repeat(level - 1)}${isOpen === undefined ? '' : isOpen ? '▾' : '▸'}${label}`,
  );

describe('rowsOf', () => {
  it('shows the steps, and what is open of their data', () => {
    expect(shape(rowsOf(steps, open()))).toEqual(['▸Catch Webhook', 'Add up']);
    expect(shape(rowsOf(steps, open(['trigger'], ['trigger', 'body'], ['trigger', 'body', 'lines'])))).toEqual([
      '▾Catch Webhook',
      '  ▾body',
      '    customer',
      '    ▾lines',
      '      ▸0',
      '      ▸1',
      '    __proto__',
      '    none',
      'Add up',
    ]);
  });

  it('says where each row stands among its siblings', () => {
    const rows = rowsOf(steps, open(['trigger'], ['trigger', 'body']));
    expect(rows.find(({ label }) => label === 'lines')).toMatchObject({
      path: ['trigger', 'body', 'lines'],
      level: 3,
      place: 2,
      of: 4,
    });
  });

  it('shows a part of many, and how many there are', () => {
    const list: PickerStep = {
      name: 'list',
      displayName: 'List',
      says: '',
      sample: { value: Array.from({ length: 120 }, (_, index) => index), cuts: new Map() },
    };
    const rows = rowsOf([list], open(['list']));
    expect(rows.length).toBe(1 + 50 + 1);
    expect(rows.at(-1)).toMatchObject({ kind: 'more', place: 51, of: 120, level: 2 });
  });

  it('says what was cut', () => {
    const cuts = new Map([
      ['/lines', 3_000],
      ['/text', 100_000],
    ]);
    const cut: PickerStep = {
      name: 'cut',
      displayName: 'Cut',
      says: '',
      sample: { value: { lines: [1], text: 'x' }, cuts },
    };
    const rows = rowsOf([cut], open(['cut'], ['cut', 'lines']));
    expect(rows.map(({ kind, isCut, of }) => ({ kind, isCut, of }))).toEqual([
      { kind: 'step', isCut: false, of: 1 },
      { kind: 'value', isCut: true, of: 2 },
      { kind: 'value', isCut: false, of: 1 },
      { kind: 'cut', isCut: true, of: 3_000 },
      { kind: 'value', isCut: true, of: 2 },
    ]);
  });

  it('shows data that is no object', () => {
    const text: PickerStep = { name: 't', displayName: 'T', sample: { value: 'abc', cuts: new Map() }, says: '' };
    expect(rowsOf([text], open(['t']))).toMatchObject([{ label: 'T', value: 'abc', isOpen: undefined }]);
  });
});

describe('foundRows', () => {
  it('finds steps by their names, and values by name, text or number', () => {
    expect(foundRows(steps, 'ADD', 10).map(({ label }) => label)).toEqual(['Add up']);
    expect(foundRows(steps, 'price', 10).map(({ label }) => label)).toEqual([
      'trigger.body.lines[0].price',
      'trigger.body.lines[1].price',
    ]);
    expect(foundRows(steps, 'ada', 10).map(({ path }) => path)).toEqual([['trigger', 'body', 'customer']]);
    expect(foundRows(steps, '40', 10).map(({ label }) => label)).toEqual(['trigger.body.lines[0].price']);
  });

  it('finds no more than is asked for', () => {
    expect(foundRows(steps, '', 3).length).toBe(3);
  });
});
