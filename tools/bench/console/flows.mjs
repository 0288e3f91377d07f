// The list of flows: how soon it can be used.
import { enter, msOf } from './browser.mjs';

/** @type {import('./bench-console.mjs').Part} */
export async function measureFlows({ call, projectId, browser }) {
  const { id } = await call('POST', '/flows', { projectId, displayName: 'Order intake' });
  const page = await browser.atTheDoor(); // with nothing of the list in its cache
  const isUsable = () => page.getByRole('row', { name: /Order intake/ }).waitFor();
  const afterSignIn = await msOf(async () => {
    await enter(page);
    await isUsable();
  });
  const afterReload = await msOf(async () => {
    await page.goto('/flows');
    await isUsable();
  });
  await page.context().close();
  await call('DELETE', `/flows/${id}`);
  return [
    { what: 'usable after the click on “Sign in”', unit: 'ms', value: afterSignIn, atMost: 1_000 },
    { what: 'usable after a reload', unit: 'ms', value: afterReload, atMost: 1_000 },
  ];
}
