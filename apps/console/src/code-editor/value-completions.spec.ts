import { completionsOf } from './value-completions';

const variables = {
  inputs: { lines: [{ price: 40 }], name: 'Ada', 'odd key': 1, __proto__: null },
  step_1: 2,
  'no name': 3,
};
const labelsAfter = (before: string) =>
  completionsOf(variables, before, before.length)?.options.map(({ label }) => label);

describe('completionsOf', () => {
  it('has the members of an object, with their values', () => {
    expect(completionsOf(variables, 'inputs.', 7)?.options).toMatchObject([
      { label: 'lines', detail: '1 item · list' },
      { label: 'name', detail: '"Ada" · text' },
      { label: 'odd key', detail: '1 · number' },
    ]);
  });

  it('has the members of items and the methods of texts and lists', () => {
    expect(labelsAfter('inputs.lines[0].')).toEqual(['price']);
    expect(labelsAfter('inputs.lines.')).toEqual(expect.arrayContaining(['map', 'length']));
    expect(labelsAfter('inputs.name.')).toEqual(expect.arrayContaining(['trim', 'length']));
  });

  it('has variables by names that can be written', () => {
    expect(labelsAfter('in')).toEqual(['inputs', 'step_1']);
  });

  it('replaces what was typed of the name', () => {
    expect(completionsOf(variables, 'inputs.li', 9)).toMatchObject({ from: 7 });
  });

  it.each(['inputs.none.', 'inputs.constructor.', 'inputs.lines[1].', 'f().', 'toString.'])(
    'has nothing after %s',
    (before) => {
      expect(completionsOf(variables, before, before.length)).toBeNull();
    },
  );
});
