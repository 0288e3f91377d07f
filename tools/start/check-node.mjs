/** Checks the version of Node.js. The apps load ES modules with `require`, which needs 20.19 or newer. */
import { CannotContinue } from '../progress.mjs';

const LEAST = [20, 19];

export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return;
  throw new CannotContinue(
    `Node ${LEAST.join('.')} or newer is needed and this is ${version}: install a newer one from https://nodejs.org and run the command again.`,
  );
}
