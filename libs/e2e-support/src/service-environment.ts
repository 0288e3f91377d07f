/** The environment of this process without the settings of the service under test and without the variables of npm. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(SVC_|MILLRACE_|npm_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/**
 * How many times as long as usual a test may wait here: 1, or more on a machine that `npm test` found slow or busy. A test
 * multiplies its waits and limits by it.
 */
export const patience = Number(process.env['MILLRACE_TEST_PATIENCE'] ?? 1);
