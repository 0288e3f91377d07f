import { patience } from '@millrace/e2e-support';

const WITHIN_MS = 60_000 * patience;

/** Resolves with what is found, as soon as it is there. */
export async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${WITHIN_MS} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
