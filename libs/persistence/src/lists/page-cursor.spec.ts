import { InvalidRequestError } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { pageOfRows, readPage, type Slice } from './page-cursor';

const ids = Array.from({ length: 7 }, (_, i) => anId(new Date(1_700_000_000_000 + i)));

/** A list of rows in the order of their ids, as a table would answer. */
function listOf(rowIds: readonly string[]) {
  const newestFirst = [...rowIds].sort().reverse();
  return async ({ before, after, limit }: Slice) => {
    if (after !== undefined)
      return [...newestFirst]
        .reverse()
        .filter((id) => id > after)
        .slice(0, limit)
        .map(rowOf);
    return newestFirst
      .filter((id) => before === undefined || id < before)
      .slice(0, limit)
      .map(rowOf);
  };
}
const rowOf = (id: string) => ({ id });
const placesOf = (rows: { id: string }[]) => rows.map(({ id }) => ids.indexOf(id));

describe('readPage', () => {
  it('walks from the newest to the oldest and back', async () => {
    const read = listOf(ids);
    const first = await readPage({ limit: 3, cursor: null }, 'all', read);
    const second = await readPage({ limit: 3, cursor: first.next }, 'all', read);
    const third = await readPage({ limit: 3, cursor: second.next }, 'all', read);
    const back = await readPage({ limit: 3, cursor: third.previous }, 'all', read);
    const start = await readPage({ limit: 3, cursor: back.previous }, 'all', read);

    expect([first, second, third, back, start].map(({ data }) => placesOf(data))).toEqual([
      [6, 5, 4],
      [3, 2, 1],
      [0],
      [3, 2, 1],
      [6, 5, 4],
    ]);
    expect([first.previous, third.next, start.previous]).toEqual([null, null, null]);
  });

  it('neither repeats nor skips rows when newer ones arrive between two pages', async () => {
    const first = await readPage({ limit: 2, cursor: null }, 'all', listOf(ids.slice(0, 5)));

    const second = await readPage({ limit: 2, cursor: first.next }, 'all', listOf(ids));
    const newer = await readPage({ limit: 9, cursor: second.previous }, 'all', listOf(ids));

    expect(placesOf(second.data)).toEqual([2, 1]);
    expect(placesOf(newer.data)).toEqual([6, 5, 4, 3]);
    expect(newer.previous).toBeNull();
  });

  it.each([
    ['of other filters', (cursor: string) => cursor, 'others'],
    ['that was altered', (cursor: string) => `${cursor.slice(0, 20)}A${cursor.slice(21)}`, 'all'],
    ['with something after it', (cursor: string) => `${cursor}x`, 'all'],
    ['that is no base64', () => '%%%', 'all'],
    ['that is JSON of something else', () => Buffer.from('[1]').toString('base64url'), 'all'],
    ['that is empty', () => '', 'all'],
  ])('refuses a cursor %s', async (_, alter, filters) => {
    const { next } = await readPage({ limit: 2, cursor: null }, 'all', listOf(ids));

    const refused = readPage({ limit: 2, cursor: alter(next as string) }, filters, listOf(ids));

    await expect(refused).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(refused).rejects.toMatchObject({ params: { errors: [{ path: '/cursor' }] } });
  });
});

describe('pageOfRows', () => {
  const rows = ['webhook', 'http', 'delay', 'store', 'smtp'].map(rowOf);
  const page = (cursor: string | null) => pageOfRows({ limit: 2, cursor }, 'pieces', rows);

  it('walks through rows in memory and back, in their order', async () => {
    const first = await page(null);
    const second = await page(first.next);
    const third = await page(second.next);
    const back = await page(third.previous);

    expect([first, second, third, back].map(({ data }) => data.map(({ id }) => id))).toEqual([
      ['webhook', 'http'],
      ['delay', 'store'],
      ['smtp'],
      ['delay', 'store'],
    ]);
    expect([first.previous, third.next]).toEqual([null, null]);
  });

  it('refuses the cursor of a row that is gone', async () => {
    const { next } = await page(null);
    await expect(pageOfRows({ limit: 2, cursor: next }, 'pieces', rows.slice(2))).rejects.toMatchObject({
      params: { errors: [{ path: '/cursor' }] },
    });
  });
});
