import { HostUnderTest } from '../testing/a-piece-host';

describe('data_mapper.advanced_mapping', () => {
  const subject = new HostUnderTest();

  it('gives the mapping, resolved', async () => {
    const mapping = { name: 'Ann', items: [1, { deep: null }], empty: '' };

    expect(await subject.output('data_mapper.advanced_mapping', { mapping })).toEqual(mapping);
  });

  it('reads a mapping that is written as text', async () =>
    expect(await subject.output('data_mapper.advanced_mapping', { mapping: '{"a": [1]}' })).toEqual({ a: [1] }));

  it('refuses what is no object', async () =>
    expect(await subject.run('data_mapper.advanced_mapping', { mapping: [1] })).toMatchObject({
      message: 'The input "Mapping" (mapping) must be an object.',
    }));
});
