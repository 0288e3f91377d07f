import { withNotedMembers } from './noted-members';

const prop = (type: string, more: object = {}) => ({ type, displayName: type, required: false, ...more });
const noted = (schema: unknown) => ({ fields: { type: 'MANUAL', schema } });

describe('the members of a dynamic input', () => {
  it('have the types that an editor has noted', () => {
    const schema = { count: prop('NUMBER'), isOpen: prop('CHECKBOX'), rows: prop('JSON'), text: prop('SHORT_TEXT') };
    const fields = { count: '5', isOpen: 'true', rows: '[1]', text: 7, other: '8' };

    const { input, files } = withNotedMembers({ fields, count: '5' }, ['fields'], noted(schema));

    expect(input).toEqual({ fields: { count: 5, isOpen: true, rows: [1], text: '7', other: '8' }, count: '5' });
    expect(files).toEqual([]);
  });

  it('may be files', () => {
    const fields = { file: 'data:,a', note: 'b' };
    const schema = { file: prop('FILE'), note: prop('SHORT_TEXT') };

    expect(withNotedMembers({ fields }, ['fields'], noted(schema))).toEqual({
      input: { fields },
      files: [{ input: 'fields', key: 'file' }],
    });
  });

  it('stay as they are where their lists would become too large together', () => {
    const list = prop('ARRAY', { properties: { sku: prop('SHORT_TEXT'), meta: prop('SHORT_TEXT') } });
    const written = { sku: Array.from({ length: 9_000 }, () => 'a'), meta: 'x'.repeat(1_000) };

    const { input } = withNotedMembers(
      { fields: { one: written, other: written } },
      ['fields'],
      noted({ one: list, other: list }),
    );

    expect(input).toMatchObject({ fields: { one: { length: 9_000 }, other: { meta: written.meta } } });
  });

  it.each<[string, unknown, unknown]>([
    ['does not fit', { count: 'many' }, noted({ count: prop('NUMBER', { required: true }) })],
    ['is missing', {}, noted({ count: prop('NUMBER', { required: true }) })],
    ['was not noted', { count: '5' }, {}],
    ['was noted in another form', { count: '5' }, noted('schema')],
    ['is of no object', '5', noted({ count: prop('NUMBER') })],
  ])('stay as they are where one %s', (_what, fields, settings) => {
    const { input } = withNotedMembers({ fields }, ['fields'], settings as Record<string, unknown>);

    expect(input).toEqual({ fields });
  });
});
