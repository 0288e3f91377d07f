const PUBLIC_NAME = /^@activepieces\/piece-([a-z0-9-]+)$/;

/** The built-in name behind the public name that exported flows carry; any other name is its own. */
export function resolvePieceName(name: string): string {
  const builtIn = PUBLIC_NAME.exec(name)?.[1];
  return builtIn === undefined ? name : builtIn.replaceAll('-', '_');
}

const OTHERWISE_CALLED: ReadonlyMap<string, string> = new Map([
  ['return_response_and_wait_for_next_webhook', 'respond_and_wait'],
]);

/** Exported flows name some triggers and actions in camel case, `delayFor` is our `delay_for`, and few by other words. */
export const resolveEntryName = (name: string): string =>
  OTHERWISE_CALLED.get(name) ?? name.replace(/[a-z0-9][A-Z]/g, ([lower, upper]) => `${lower}_${upper}`).toLowerCase();
