import { defineAction, definePiece } from '../framework/piece';

const advancedMapping = defineAction({
  displayName: 'Advanced Mapping',
  description: 'Makes an object from the values of other steps.',
  isPure: true,
  output: 'The mapping, with its expressions resolved.',
  props: { mapping: { kind: 'object', displayName: 'Mapping', required: true } },
  run: async ({ input }) => input.mapping,
});

export const dataMapper = definePiece({
  name: 'data_mapper',
  displayName: 'Data Mapper',
  description: 'Brings data into another shape.',
  category: 'DATA',
  keywords: ['map', 'transform', 'shape', 'fields', 'convert', 'json'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: {},
  actions: { advanced_mapping: advancedMapping },
});
