const PUBLIC_NAME = /^@activepieces\/piece-([a-z0-9-]+)$/;

/** The name of the built-in piece for the public name that exports use. Any other name is returned unchanged. */
export function resolvePieceName(name: string): string {
  const builtIn = PUBLIC_NAME.exec(name)?.[1];
  return builtIn === undefined ? name : builtIn.replaceAll('-', '_');
}

const OTHERWISE_CALLED: ReadonlyMap<string, string> = new Map([
  ['return_response_and_wait_for_next_webhook', 'respond_and_wait'],
]);

/** Our name of a trigger or an action in an export. Most differ only in their case: `delayFor` is our `delay_for`. */
export const resolveEntryName = (name: string): string =>
  OTHERWISE_CALLED.get(name) ?? name.replace(/[a-z0-9][A-Z]/g, ([lower, upper]) => `${lower}_${upper}`).toLowerCase();
