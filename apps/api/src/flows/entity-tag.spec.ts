import { InvalidRequestError, PreconditionFailedError } from '@millrace/domain';
import { assertIfMatch, entityTagOf } from './entity-tag';

const flow = { id: 'flow_1', revision: 3 };
const asserting = (header: string | undefined) => () => assertIfMatch(header, flow);

describe('the entity tag of a flow', () => {
  it('is its revision, as a strong tag', () => expect(entityTagOf(flow)).toBe('"3"'));
});

describe('If-Match', () => {
  it.each([[undefined], ['*'], [' * '], ['"3"'], ['"2", "3"'], ['"a,b" ,"3"'], [', "3",'], ['W/"3", "3"']])(
    'lets a change through with %s',
    (header) => expect(asserting(header)).not.toThrow(),
  );

  it.each([['"2"'], ['"2", "4"'], ['W/"3"'], ['""'], ['"33"'], ['"a,3,b"']])('refuses a change with %s', (header) =>
    expect(asserting(header)).toThrow(PreconditionFailedError),
  );

  it('tells the present entity tag when it refuses', () =>
    expect(asserting('"2"')).toThrow(
      expect.objectContaining({ params: { entityType: 'flow', entityId: 'flow_1', etag: '"3"' } }),
    ));

  it.each([[''], [' '], [','], ['3'], ['"3'], ['"3" "4"'], ['"3"x'], ['*, "3"'], ['w/"3"'], ['"3", 4']])(
    'cannot be read as %j',
    (header) => expect(asserting(header)).toThrow(InvalidRequestError),
  );

  it('is read in one pass, however long the white space in it', () => {
    expect(asserting(`"2",${' '.repeat(100_000)}x`)).toThrow(InvalidRequestError);
  });
});
