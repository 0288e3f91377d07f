import type { Page } from 'playwright-core';

/** CodeMirror lets Enter begin a line for 75 ms after a list has opened, because a person cannot have meant the list. */
const NEW_LIST_TAKES_NO_KEY_MS = 100;

/** Takes what an editor suggests first, by Enter, once that is the option with this name. */
export async function takeSuggestion(page: Page, name: RegExp): Promise<void> {
  const suggestions = page.getByRole('listbox');
  await suggestions.getByRole('option', { name, selected: true }).waitFor();
  await page.waitForTimeout(NEW_LIST_TAKES_NO_KEY_MS);
  await page.keyboard.press('Enter');
  await suggestions.waitFor({ state: 'detached' });
}
