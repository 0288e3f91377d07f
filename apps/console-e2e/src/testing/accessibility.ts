import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';

const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const CHECK = `axe.run({ runOnly: ${JSON.stringify(WCAG_22_AA)}, resultTypes: ['violations'] })`;

interface Finding {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Expects that axe finds nothing on the page that WCAG 2.2 forbids at the levels A and AA. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(`${axe}; undefined`);
  const { violations } = await page.evaluate<{ violations: Finding[] }>(CHECK);
  expect(
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => ({ at: page.url(), id, html, failureSummary })),
    ),
  ).toEqual([]);
}
