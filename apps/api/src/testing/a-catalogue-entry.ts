import type { PieceRef } from '@millrace/domain';
import { PackageCatalogue } from '@millrace/pieces';

type Entry = NonNullable<ReturnType<PackageCatalogue['find']>>;

/** An entry of the catalogue of packages. */
export const aCatalogueEntry = ({ name, version }: PieceRef, more: Partial<Entry> = {}): Entry => ({
  name,
  version,
  integrity: 'sha512-of-the-catalogue',
  size: 1_000,
  displayName: name.replace(/^.*piece-/, ''),
  description: '',
  categories: ['PRODUCTIVITY'],
  auth: [],
  actions: {},
  triggers: {},
  ...more,
});
