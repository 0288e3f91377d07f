import type { Locator, Page } from 'playwright-core';
import { signInTo, type Person } from './people';

/** A flow as the service has it, as far as tests read it. */
export interface SavedStep {
  name: string;
  displayName: string;
  settings: Record<string, unknown>;
  nextAction?: SavedStep | null;
}

export const panelIn = (page: Page): Locator => page.getByRole('complementary', { name: 'Step settings' });

/** Signs in, and opens the settings of a step. */
export async function openStep(page: Page, person: Person, flowId: string, step: string): Promise<Locator> {
  await signInTo(page, `/flows/${flowId}?step=${step}`, person);
  await panelIn(page).waitFor();
  return panelIn(page);
}

/** Waits until the service has all that was typed. */
export const saved = (page: Page): Promise<void> =>
  page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

/** The step of that name that comes after the trigger, as the service has it. */
export async function stepOf({ client }: Person, flowId: string, name: string): Promise<SavedStep> {
  const { version } = await client.must<{ version: { trigger: SavedStep } }>('GET', `/flows/${flowId}`);
  for (let step: SavedStep | null | undefined = version.trigger; step; step = step.nextAction)
    if (step.name === name) return step;
  throw new Error(`The flow has no step ${name}.`);
}

/** Writes a text in place of what a field has, and waits until it is there. */
export async function write(field: Locator, text: string): Promise<void> {
  await field.press('Control+A');
  await field.page().keyboard.insertText(text);
}
