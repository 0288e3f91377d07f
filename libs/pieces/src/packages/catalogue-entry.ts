import { readPublishedPiece, type PublishedTriggerType } from './published-piece';

/** A published package in the catalogue: what people choose it by, without its inputs. */
export interface CatalogueEntry {
  readonly name: string;
  readonly version: string;
  /** `sha512-` and the hash of the archive as base64. */
  readonly integrity: string;
  /** The size of the archive, in bytes. */
  readonly size: number;
  /** It has compiled programs. A flow that names it may bring in such a package only if its entry says so. */
  readonly hasNativeParts?: boolean;
  readonly displayName: string;
  readonly description: string;
  readonly categories: readonly string[];
  /** The types of the connections of which it takes one. */
  readonly auth: readonly string[];
  readonly actions: Readonly<Record<string, EntryPart>>;
  readonly triggers: Readonly<Record<string, EntryPart & { readonly type: PublishedTriggerType }>>;
}

interface EntryPart {
  readonly displayName: string;
  readonly description: string;
}

/** Makes the entry of a package from what it said of itself. */
export function catalogueEntry(
  archive: Pick<CatalogueEntry, 'name' | 'version' | 'integrity' | 'size' | 'hasNativeParts'>,
  described: unknown,
): CatalogueEntry {
  const { displayName, description, categories, auths, actions, triggers } = readPublishedPiece(
    archive.name,
    described,
  );
  return {
    ...archive,
    displayName,
    description,
    categories,
    auth: auths.map(({ type }) => type),
    actions: mapValues(actions, partOf),
    triggers: mapValues(triggers, (trigger) => ({ type: trigger.type, ...partOf(trigger) })),
  };
}

const partOf = ({ displayName, description }: EntryPart): EntryPart => ({ displayName, description });

const mapValues = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
