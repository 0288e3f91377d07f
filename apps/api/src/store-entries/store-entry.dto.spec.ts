import { RequestValidationPipe } from '@millrace/http';
import { PutStoreEntryDto } from './store-entry.dto';

const read = (more: object): Promise<unknown> => {
  const body = { projectId: 'p', scope: 'FLOW', key: 'k', value: 1, ...more };
  return new RequestValidationPipe().transform(body, { type: 'body', metatype: PutStoreEntryDto });
};

describe('the place of a store entry', () => {
  it('may lack the id of its scope', async () => expect(await read({})).toMatchObject({ scope: 'FLOW', key: 'k' }));

  it('has no id that is null', async () =>
    await expect(read({ scopeId: null })).rejects.toMatchObject({ message: '/scopeId: must be a string.' }));
});
