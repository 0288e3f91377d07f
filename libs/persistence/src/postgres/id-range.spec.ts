import { NIL } from 'uuid';
import { idRange, inIdRange } from './id-range';

describe('idRange', () => {
  it('is from the smallest id to the largest, in whatever case and order they come', () =>
    expect(idRange(['b0', null, 'A1', undefined, 'c9'])).toEqual(['a1', 'c9']));

  it('holds no row when there is no id', () => expect(idRange([null])).toEqual([NIL, NIL]));

  it('is a condition of two parameters', () =>
    expect(inIdRange('run.id', 3)).toBe('run.id between $3::uuid and $4::uuid'));
});
