import { fileNameOf, flowsIn, namedDefinition } from './flow-files';

const FLOW = { displayName: 'Orders', trigger: { name: 'trigger' } };
const inText = (value: unknown) => flowsIn(JSON.stringify(value));

describe('the flows of a text', () => {
  it.each([
    ['a definition', FLOW, 'Orders'],
    ['an exported flow', { name: 'Shop', template: FLOW }, 'Shop'],
    ['an exported flow without a name of its own', { template: FLOW }, 'Orders'],
    ['an export of one flow', { flows: [FLOW], tables: [] }, 'Orders'],
    ['a flow without a name', { trigger: {} }, null],
  ])('are one in %s, which is passed on as it is', (_, value, name) =>
    expect(inText(value)).toEqual([{ name, definition: value }]),
  );

  it('are several in an export of several, and in a list', () => {
    const two = [FLOW, { ...FLOW, displayName: 'Refunds' }];
    expect(inText({ flows: two }).map(({ name }) => name)).toEqual(['Orders', 'Refunds']);
    expect(inText(two).map(({ definition }) => definition)).toEqual(two);
  });

  it.each(['1', 'null', '"text"', '[]', '[1, "x"]', '{"flows": []}'])('are none in %s', (text) =>
    expect(flowsIn(text)).toEqual([]),
  );

  it('are not looked for in what is no JSON', () => expect(() => flowsIn('{"a": ')).toThrow(SyntaxError));
});

describe('the name of a flow without one', () => {
  it.each([
    [{ trigger: {} }, { trigger: {}, displayName: 'X' }],
    [{ template: {} }, { template: {}, name: 'X' }],
    [{ flows: [{}] }, { flows: [{}], name: 'X' }],
  ])('goes into %j where the API looks for it', (definition, named) =>
    expect(namedDefinition({ name: null, definition }, 'X')).toEqual(named),
  );

  it('is left alone when there is one', () =>
    expect(namedDefinition({ name: 'Orders', definition: FLOW }, 'X')).toBe(FLOW));
});

describe('the name of the file of a flow', () => {
  it.each([
    ['Order intake', 'Order intake.json'],
    ['Größe: 1/2 <b>', 'Größe 1 2 b.json'],
    ['../../etc', '.. .. etc.json'],
    ['???', 'flow.json'],
    ['x'.repeat(200), `${'x'.repeat(80)}.json`],
  ])('of %j is %j', (name, file) => expect(fileNameOf(name)).toBe(file));
});
