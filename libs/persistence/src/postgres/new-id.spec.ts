import { createdAt, isId } from '@millrace/domain';
import { newId } from './new-id';

describe('newId', () => {
  afterEach(() => jest.restoreAllMocks());
  const at = (time: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));

  it('gives ids that sort in the order of their creation, also within a millisecond and when the clock trembles', () => {
    at('2026-01-01T12:00:00.500Z');
    const ids = Array.from({ length: 1_000 }, newId);
    at('2026-01-01T12:00:00.100Z');
    ids.push(...Array.from({ length: 1_000 }, newId));

    expect(ids.every(isId)).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(2_000);
  });

  it('follows a clock that was put right', () => {
    at('2026-01-01T13:00:00.000Z');
    newId();
    at('2026-01-01T12:00:00.000Z');

    expect(createdAt(newId())).toEqual(new Date('2026-01-01T12:00:00.000Z'));
  });
});
