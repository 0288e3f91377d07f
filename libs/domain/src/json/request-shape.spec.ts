import { JsonReader, RequestProblems } from './json-reader';
import {
  anyJson,
  flag,
  number,
  object,
  oneOf,
  optional,
  orNull,
  shapeOf,
  text,
  type RequestShape,
} from './request-shape';

const read = <Value>(shape: RequestShape<Value>, value: Record<string, unknown>) => {
  const problems = new RequestProblems();
  const reader = new JsonReader(value, '', problems);
  const result = shape.read(reader);
  reader.refuseOthers();
  return { result, problems: problems.found.map(({ path, message }) => `${path}: ${message}`) };
};

const NOTE = shapeOf({
  id: optional(text({ minLength: 1, maxLength: 3 })),
  content: text({ maxLength: 5, description: 'What it says.' }),
  owner: orNull(text()),
  color: oneOf(['RED', 'BLUE'], 'RED'),
  isPinned: flag(),
  data: anyJson(),
  position: optional(object({ x: number(), y: number() })),
});

const least = { content: 'a', owner: null, isPinned: true, data: null };

describe('a request shape', () => {
  it('reads the members, and leaves out those that are absent', () => {
    expect(read(NOTE, least)).toEqual({ result: { ...least, color: 'RED' }, problems: [] });
    const all = { ...least, id: 'n', owner: 'o', color: 'BLUE', position: { x: 1, y: 2 } };
    expect(read(NOTE, all)).toEqual({ result: all, problems: [] });
  });

  it.each<[string, object, string[]]>([
    ['a missing text', { content: undefined }, ['/content: is required.']],
    ['null for a text', { content: null }, ['/content: must be a string.']],
    ['a long text', { content: 'abcdef' }, ['/content: must have at most 5 characters.']],
    ['an empty text', { id: '' }, ['/id: must have between 1 and 3 characters.']],
    ['null for an optional text', { id: null }, ['/id: must be a string.']],
    ['a missing text that may be null', { owner: undefined }, ['/owner: is required.']],
    ['another text than those listed', { color: 'red' }, ['/color: must be one of RED, BLUE.']],
    ['a flag that is a text', { isPinned: 'yes' }, ['/isPinned: must be true or false.']],
    ['missing data', { data: undefined }, ['/data: is required.']],
    ['half a position', { position: { x: 1 } }, ['/position/y: is required.']],
    ['a position with more', { position: { x: 1, y: 2, z: 3 } }, ['/position/z: is not a known field.']],
    ['an unknown member', { colour: 'RED' }, ['/colour: is not a known field.']],
  ])('refuses %s', (_what, changes, problems) => {
    expect(read(NOTE, { ...least, ...changes }).problems).toEqual(problems);
  });

  it('has a schema with the same names, limits and defaults', () => {
    const measure = { type: 'number' };
    expect(NOTE.schema).toEqual({
      type: 'object',
      required: ['content', 'owner', 'isPinned', 'data'],
      properties: {
        id: { type: 'string', minLength: 1, maxLength: 3 },
        content: { type: 'string', maxLength: 5, description: 'What it says.' },
        owner: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        color: { type: 'string', enum: ['RED', 'BLUE'], default: 'RED' },
        isPinned: { type: 'boolean' },
        data: { description: 'Any JSON.' },
        position: {
          ...{ type: 'object', required: ['x', 'y'], properties: { x: measure, y: measure } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    });
  });
});
