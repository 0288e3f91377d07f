import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { patience, serviceUnderTest } from '@millrace/e2e-support';
import { Complaints } from './complaints';

/** How long a page may take on a busy machine. */
const PATIENCE_MS = 30_000 * patience;

/** Pages of a person who wants no motion: whether something moves is not tested, and drawing it takes CPU time. */
const USUAL = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

/** A page in a browser that nobody has used before. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  complaints: Complaints;
}

/**
 * Starts a browser for the suite that calls this, and returns a function that opens a page in a new context. A test fails
 * when one of its pages complains (see Complaints).
 */
export function visits(): (options?: BrowserContextOptions) => Promise<Visit> {
  const { baseUrl } = serviceUnderTest();
  const open: Visit[] = [];
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executable(), args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const ended = open.splice(0);
    for (const { context } of ended) await context.close();
    expect(ended.flatMap(({ complaints }) => complaints.take())).toEqual([]);
  });

  return async (options = {}) => {
    const context = await browser.newContext({ baseURL: baseUrl, ...USUAL, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const complaints = new Complaints(new URL(baseUrl).origin);
    await complaints.listenTo(context);
    const visit = { context, complaints, page: await context.newPage() };
    open.push(visit);
    return visit;
  };
}

function executable(): string {
  const path = process.env['MILLRACE_CHROMIUM'];
  if (!path) throw new Error('MILLRACE_CHROMIUM is not set: run the browser tests with "npm test -- e2e".');
  return path;
}
