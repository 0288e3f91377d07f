/** The environment of this process without the settings of the service under test and without the variables of npm. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(SVC_|MILLRACE_|npm_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
