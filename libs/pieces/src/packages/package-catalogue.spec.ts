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
]);

const found = (search?: string, category?: string) => catalogue.search({ search, category }).map(({ name }) => name);

describe('the catalogue', () => {
  it.each(['PIECE-SHOP', 'shop', 'lamps', 'new order', 'customer'])('is searched by %s', (search) => {
    expect(found(search)).toEqual(['@acme/piece-shop']);
  });

  it('is searched by a category, and has all without a word', () => {
    expect(found(undefined, 'COMMERCE')).toEqual(['@acme/piece-shop']);
    expect(found('notes', 'COMMERCE')).toEqual([]);
    expect(found()).toEqual(['@acme/piece-shop', '@acme/piece-notes']);
  });
});
