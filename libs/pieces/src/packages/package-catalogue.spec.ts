import type { CatalogueEntry } from './catalogue-entry';
import { PackageCatalogue } from './package-catalogue';

const entry = (name: string, with_: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  ...{ name, version: '1.0.0', integrity: 'sha512-x', size: 1, displayName: name, description: '' },
  ...{ categories: [], auth: [], actions: {}, triggers: {} },
  ...with_,
});

const catalogue = new PackageCatalogue([
  entry('@acme/piece-shop', {
    displayName: 'Shop',
    description: 'Sells lamps.',
    categories: ['COMMERCE'],
    triggers: { new_order: { type: 'WEBHOOK', displayName: 'New Order', description: '' } },
    actions: { find: { displayName: 'Find Customer', description: '' } },
  }),
  entry('@acme/piece-notes'),
  entry('@acme/piece-pictures', { hasNativeParts: true }),
]);

const found = (search?: string, category?: string) => catalogue.search({ search, category }).map(({ name }) => name);

describe('the catalogue', () => {
  it.each(['PIECE-SHOP', 'shop', 'lamps', 'new order', 'customer'])('is searched by %s', (search) => {
    expect(found(search)).toEqual(['@acme/piece-shop']);
  });

  it('is searched by a category, and has all without a word', () => {
    expect(found(undefined, 'COMMERCE')).toEqual(['@acme/piece-shop']);
    expect(found('notes', 'COMMERCE')).toEqual([]);
    expect(found()).toEqual(['@acme/piece-shop', '@acme/piece-notes', '@acme/piece-pictures']);
  });

  it.each([
    ['an archive that it lists with native parts', true, '@acme/piece-pictures', '1.0.0', 'sha512-x'],
    ['another archive', false, '@acme/piece-pictures', '1.0.0', 'sha512-y'],
    ['another version', false, '@acme/piece-pictures', '1.0.1', 'sha512-x'],
    ['a package that it lists without', false, '@acme/piece-notes', '1.0.0', 'sha512-x'],
    ['an unknown package', false, '@acme/piece-new', '1.0.0', 'sha512-x'],
  ])('lets %s bring in native parts: %s', (_what, isListed, name, version, integrity) => {
    expect(catalogue.listsNativeParts({ name, version, integrity })).toBe(isListed);
  });
});
