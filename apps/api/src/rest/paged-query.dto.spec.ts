import { RequestValidationPipe } from '@millrace/http';
import { PagedQueryDto } from './paged-query.dto';

const read = (limit: string): Promise<unknown> =>
  new RequestValidationPipe().transform({ limit }, { type: 'query', metatype: PagedQueryDto });

describe('the limit of a page', () => {
  it.each([
    ['1', 1],
    ['007', 7],
    ['100', 100],
  ])('is read from %s', async (text, limit) => expect(await read(text)).toMatchObject({ limit }));

  it.each([
    ['-1', '/limit: must not be less than 1.'],
    ['0', '/limit: must not be less than 1.'],
    ['101', '/limit: must not be greater than 100.'],
    ['99999999999999999999', '/limit: must not be greater than 100.'],
    ['1.5', '/limit: must be an integer number.'],
    ['1e9', '/limit: must be an integer number.'],
    ['0x10', '/limit: must be an integer number.'],
    ['', '/limit: must be an integer number.'],
    ['9'.repeat(400), '/limit: must be an integer number.'],
  ])('is not %s', async (text, message) => await expect(read(text)).rejects.toMatchObject({ message }));
});
