import type { Page } from 'playwright-core';

const WIDTHS = '({ page: document.documentElement.scrollWidth, window: document.documentElement.clientWidth })';

/** Expects that the page is not wider than the window. Tables and pictures may scroll within it. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const widths = await page.evaluate<{ page: number; window: number }>(WIDTHS);
  expect(widths.page).toBeLessThanOrEqual(widths.window);
}
