import { signedInPerson } from '../api/session';

// Texts that mean nothing yet, by the field in which they were typed. They are kept while the tab is open, also over a
// reload and a new sign-in, for the person who typed them.

const PREFIX = 'millrace.unfinished.';
/** What the browser has no room for is kept until the page is left. */
const texts = new Map<string, string>();

const keyOf = (id: string): string => `${PREFIX}${signedInPerson()?.id}.${id}`;

export const unfinished = {
  get(id: string): string | undefined {
    const key = keyOf(id);
    return texts.get(key) ?? attempt(() => sessionStorage.getItem(key)) ?? undefined;
  },

  set(id: string, text: string): void {
    const key = keyOf(id);
    texts.set(key, text);
    attempt(() => sessionStorage.setItem(key, text));
  },

  delete(id: string): void {
    const key = keyOf(id);
    texts.delete(key);
    attempt(() => sessionStorage.removeItem(key));
  },

  /** Deletes the texts of all fields whose id begins so. */
  deleteUnder(prefix: string): void {
    const start = keyOf(prefix);
    const kept = attempt(() => Object.keys(sessionStorage)) ?? [];
    for (const key of [...texts.keys(), ...kept].filter((each) => each.startsWith(start))) {
      texts.delete(key);
      attempt(() => sessionStorage.removeItem(key));
    }
  },
};

/** A browser may have no room, or refuse to keep anything. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
