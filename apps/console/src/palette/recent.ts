import { remember, remembered } from '../browser/storage';

const MOST_KEPT = 20;
const MOST_SHOWN = 5;

/** The ids of what a person chose in this browser, the last first. */
export function recentIds(personId: string): string[] {
  try {
    const kept: unknown = JSON.parse(remembered(keyOf(personId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

export function rememberChosen(personId: string, id: string): void {
  const before = recentIds(personId).filter((each) => each !== id);
  remember(keyOf(personId), JSON.stringify([id, ...before].slice(0, MOST_KEPT)));
}

/** What of the items was chosen before, the last first. */
export function recentOf<T extends { id: string }>(items: readonly T[], ids: readonly string[]): T[] {
  const chosen = ids.map((id) => items.find((item) => item.id === id)).filter((item) => item !== undefined);
  return chosen.slice(0, MOST_SHOWN);
}

const keyOf = (personId: string): string => `palette.${personId}`;
