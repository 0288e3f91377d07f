// What this browser remembers of a person's choices. Nothing secret is kept here. A browser may refuse to keep anything,
// and then every visit begins with the defaults.

const PREFIX = 'millrace.';

export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** Keeps the value; null forgets it. */
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch {
    // The choice counts until the page is left.
  }
}
