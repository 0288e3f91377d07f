const PUBLIC_NAME = /^@activepieces\/piece-([a-z0-9-]+)$/;

/** The built-in name behind the public name that exported flows carry; any other name is its own. */
export function resolvePieceName(name: string): string {
  const builtIn = PUBLIC_NAME.exec(name)?.[1];
  return builtIn === undefined ? name : builtIn.replaceAll('-', '_');
}

/** Exported flows name some actions in camel case: `delayFor` is our `delay_for`. */
export const resolveActionName = (name: string): string =>
  name.replace(/[a-z0-9][A-Z]/g, ([lower, upper]) => `${lower}_${upper}`).toLowerCase();
