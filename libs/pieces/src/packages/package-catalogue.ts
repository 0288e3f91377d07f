import type { PieceRef } from '@millrace/domain';
import type { CatalogueEntry } from './catalogue-entry';

/** The published packages that people can choose from, as `npm run pieces:catalogue` has found them. */
export class PackageCatalogue {
  private readonly byName: ReadonlyMap<string, CatalogueEntry>;

  constructor(entries: readonly CatalogueEntry[]) {
    this.byName = new Map(entries.map((entry) => [entry.name, entry]));
  }

  /** Reads the catalogue that comes with the service. */
  static async read(): Promise<PackageCatalogue> {
    const { default: entries } = await import('../../catalogue/index.json');
    return new PackageCatalogue(entries as unknown as CatalogueEntry[]);
  }

  /** The entry of this version. Null when the catalogue has none, or another version. */
  find({ name, version }: PieceRef): CatalogueEntry | null {
    const entry = this.byName.get(name);
    return entry?.version === version ? entry : null;
  }

  /** Whether this archive is one of the few whose native parts flows may bring in. */
  listsNativeParts({ name, version, integrity }: PieceRef & { readonly integrity: string }): boolean {
    const entry = this.find({ name, version });
    return entry?.hasNativeParts === true && entry.integrity === integrity;
  }

  /** The version that the catalogue has of a package. */
  versionOf(name: string): string | null {
    return this.byName.get(name)?.version ?? null;
  }

  /** The entries that have this text in what people choose by, and this category, in the order of their names. */
  search({ search = '', category }: { search?: string | undefined; category?: string | undefined }): CatalogueEntry[] {
    const wanted = search.toLowerCase();
    return [...this.byName.values()].filter(
      (entry) =>
        (category === undefined || entry.categories.includes(category)) &&
        searchedIn(entry).some((text) => text.toLowerCase().includes(wanted)),
    );
  }
}

/** What people know a package by: its names, what it is, and the titles of what it can do. */
function searchedIn({ name, displayName, description, triggers, actions }: CatalogueEntry): string[] {
  const titles = [triggers, actions].flatMap((items) => Object.values(items).map((item) => item.displayName));
  return [name, displayName, description, ...titles];
}
