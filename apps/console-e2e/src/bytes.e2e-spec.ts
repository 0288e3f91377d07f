import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { Page, Request } from 'playwright-core';
import { visits } from './testing/browser';
import { newPerson, signInTo } from './testing/people';

const MOST_BYTES = 170_000;
const MOST_OF_EDITOR = 250_000;
const MOST_OF_SETTINGS = 25_000;
const MOST_OF_CODE = 170_000;

// Compressed as for browsers that know nothing better. Others are sent about a tenth less.
const GZIP = { extraHTTPHeaders: { 'accept-encoding': 'gzip' } };

describe('what is loaded', () => {
  const visit = visits();

  it(`takes at most ${MOST_BYTES} bytes for the flows, all but the answers of the API`, async () => {
    const person = await newPerson();
    await person.client.createFlow(person.projectId, 'Order intake');
    const { page } = await visit(GZIP);
    const requests = requestsOf(page);

    await signInTo(page, '/flows', person);
    await page.getByRole('row', { name: /Order intake/ }).waitFor();

    const files = await sizesOf(requests);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['/flows', expect.stringMatching(/^\/assets\/.*\.js$/)]));
    expect(tooMuch(files, MOST_BYTES)).toEqual({});
  });

  it(`takes at most ${MOST_OF_EDITOR} bytes for the editor, and no more than it must for what is shown of a step`, async () => {
    const person = await newPerson();
    const trigger = webhookTrigger([codeStep('one')]);
    const { id } = await person.client.publishFlow(person.projectId, 'Order intake', trigger);
    const { page } = await visit(GZIP);
    const requests = requestsOf(page);
    await signInTo(page, `/flows/${id}`, person);
    const step = page.getByRole('button', { name: /^one/ });
    await step.waitFor();
    expect(tooMuch(await sizesOf(requests), MOST_OF_EDITOR)).toEqual({});

    requests.splice(0);
    await step.click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    const files = Object.entries(await sizesOf(requests));
    const settings = files.filter(([name]) => name.startsWith('/assets/step-panel'));
    expect(settings.length).toBeGreaterThan(0);
    expect(tooMuch(Object.fromEntries(settings), MOST_OF_SETTINGS)).toEqual({});
    expect(tooMuch(Object.fromEntries(files.filter((file) => !settings.includes(file))), MOST_OF_CODE)).toEqual({});
  });
});

/** The requests of the page that have ended. */
function requestsOf(page: Page): Request[] {
  const requests: Request[] = [];
  page.on('requestfinished', (request) => requests.push(request));
  return requests;
}

/** The sizes of the answers as they were sent, by path. */
async function sizesOf(requests: Request[]): Promise<Record<string, number>> {
  const files = requests.filter((request) => !pathOf(request).startsWith('/api/'));
  const sizes = files.map(async (file) => [pathOf(file), (await file.sizes()).responseBodySize] as const);
  return Object.fromEntries(await Promise.all(sizes));
}

/** All files when they are too large together, so that a failure lists them. */
function tooMuch(files: Record<string, number>, most: number): Record<string, number> {
  const total = Object.values(files).reduce((sum, size) => sum + size, 0);
  return total > most ? { ...files, total } : {};
}

const pathOf = (request: Request): string => new URL(request.url()).pathname;
