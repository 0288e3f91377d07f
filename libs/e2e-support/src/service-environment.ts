/** Without the settings of the service under test, and without what a parent npm says about itself. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(SVC_|MILLRACE_|npm_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
