/** What can be done: the palette shows its name, and the key that does the same. */
export interface Command {
  name: string;
  keys?: string | undefined;
  act: () => void;
}

const OFFERED = 'main > header button:not(:disabled, [aria-haspopup]), main [role=tab][aria-selected=false]';

/**
 * What the head of the page in hand offers, and its other tabs. The buttons are the list: what a role may not do, or
 * cannot be done now, is not there.
 */
export const pageCommands = (): Command[] =>
  [...document.querySelectorAll<HTMLElement>(OFFERED)].map((button) => ({
    name: nameOf(button),
    keys: keysIn(button.getAttribute('aria-keyshortcuts')),
    act: () => button.click(),
  }));

/** What people hear of it; signs without a meaning of their own are left out. */
function nameOf(button: HTMLElement): string {
  const copy = button.cloneNode(true) as HTMLElement;
  copy.querySelectorAll('[aria-hidden=true]').forEach((sign) => sign.remove());
  return button.ariaLabel ?? copy.textContent.trim();
}

const keysIn = (shortcuts: string | null): string | undefined =>
  shortcuts?.replace('Control', 'Ctrl').replaceAll('+', '-');
