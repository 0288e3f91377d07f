import type { Request } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';

const MOST_BYTES = 170_000;

describe('the first load of the flows', () => {
  const visit = visits();

  it(`takes at most ${MOST_BYTES} bytes, all but the answers of the API`, async () => {
    const person = await newPerson();
    await person.client.createFlow(person.projectId, 'Order intake');
    // Compressed as for browsers that know nothing better. Others are sent about a tenth less.
    const { page } = await visit({ extraHTTPHeaders: { 'accept-encoding': 'gzip' } });
    const requests: Request[] = [];
    page.on('requestfinished', (request) => requests.push(request));

    await signInTo(page, '/flows', person);
    await page.getByRole('row', { name: /Order intake/ }).waitFor();

    const files = await sizesOf(requests);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['/flows', expect.stringMatching(/^\/assets\/.*\.js$/)]));
    expect(tooMuch(files)).toEqual({});
  });
});

/** The sizes of the answers as they were sent, by path. */
async function sizesOf(requests: Request[]): Promise<Record<string, number>> {
  const files = requests.filter((request) => !pathOf(request).startsWith('/api/'));
  const sizes = files.map(async (file) => [pathOf(file), (await file.sizes()).responseBodySize] as const);
  return Object.fromEntries(await Promise.all(sizes));
}

/** All files when they are too large together, so that a failure lists them. */
function tooMuch(files: Record<string, number>): Record<string, number> {
  const total = Object.values(files).reduce((sum, size) => sum + size, 0);
  return total > MOST_BYTES ? { ...files, total } : {};
}

const pathOf = (request: Request): string => new URL(request.url()).pathname;
