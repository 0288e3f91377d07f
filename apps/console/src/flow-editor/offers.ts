import type { App } from './apps';
import type { StepKind } from './new-step';
import { words } from './panel-words';

/** What the palette offers: something to put into the flow, or a package to look into. */
export type Offer = { kind: StepKind } | { app: App };

export interface OfferGroup {
  name: string;
  offers: readonly Offer[];
  /** How many there are that are not shown. */
  more: number;
}

/** More rows at once would make typing slow. Another word finds them. */
const MOST_SHOWN = 100;

interface Sought {
  kinds: readonly StepKind[];
  apps: readonly App[];
  /** The package that is looked into, and that alone. */
  opened: App | null;
  typed: string;
}

/** What is found: first what is there, then packages that are installed when they are chosen. */
export function offerGroups({ kinds, apps, opened, typed }: Sought): OfferGroup[] {
  const ofKinds = (found: readonly StepKind[]): Offer[] => found.map((kind) => ({ kind }));
  if (opened) return groupOf(opened.name, ofKinds(matchingKinds(opened.kinds, typed)));
  return [
    ...groupOf(words.installed, ofKinds(matchingKinds(kinds, typed))),
    ...groupOf(words.apps, matchingApps(apps, typed)),
  ];
}

const groupOf = (name: string, offers: readonly Offer[]): OfferGroup[] =>
  offers.length === 0
    ? []
    : [{ name, offers: offers.slice(0, MOST_SHOWN), more: Math.max(0, offers.length - MOST_SHOWN) }];

/** The kinds whose name, piece or description has every word that was typed. Names are better than descriptions. */
export function matchingKinds(kinds: readonly StepKind[], typed: string): StepKind[] {
  const wanted = wordsOf(typed);
  const [byName, others]: [StepKind[], StepKind[]] = [[], []];
  for (const kind of kinds) {
    const name = `${kind.name} ${kind.piece}`.toLowerCase();
    if (hasAll(name, wanted)) byName.push(kind);
    else if (hasAll(`${name} ${kind.says.toLowerCase()}`, wanted)) others.push(kind);
  }
  return [...byName, ...others];
}

/**
 * The packages. When something was typed, those whose names or description have every word, then actions and triggers
 * whose names have, then those whose descriptions have.
 */
export function matchingApps(apps: readonly App[], typed: string): Offer[] {
  const wanted = wordsOf(typed);
  if (wanted.length === 0) return apps.map((app) => ({ app }));
  const [found, byName, others]: [Offer[], Offer[], Offer[]] = [[], [], []];
  for (const app of apps) {
    const name = `${app.name} ${app.id}`.toLowerCase();
    if (hasAll(`${name} ${app.says.toLowerCase()}`, wanted)) found.push({ app });
    for (const kind of app.kinds) {
      const names = `${name} ${kind.name.toLowerCase()}`;
      if (hasAll(names, wanted)) byName.push({ kind });
      else if (hasAll(`${names} ${kind.says.toLowerCase()}`, wanted)) others.push({ kind });
    }
  }
  return [...found, ...byName, ...others];
}

const wordsOf = (typed: string): string[] => typed.toLowerCase().split(/\s+/).filter(Boolean);

const hasAll = (text: string, wanted: readonly string[]): boolean => wanted.every((word) => text.includes(word));
