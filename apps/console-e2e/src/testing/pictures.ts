import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Writes what the window shows to the folder at MILLRACE_PICTURES. Without that variable nothing is written. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['MILLRACE_PICTURES'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
