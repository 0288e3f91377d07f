import type { CataloguedPiece, Piece } from '../api/pieces';
import { appsWithActions, appsWithTriggers } from './apps';
import { stepKinds } from './new-step';
import { offerGroups, type Offer } from './offers';

const part = (displayName: string, description = '') => ({ displayName, description });

const TABLES = {
  name: '@acme/piece-tables',
  version: '0.10.0',
  displayName: 'Tables',
  description: 'An open database.',
  actions: { list_rows: part('List Rows', 'Reads from a table.'), drop: part('Drop', 'Empties it.') },
  triggers: {
    row_added: { ...part('Row Added'), type: 'POLLING' },
    row_event: { ...part('Row Event'), type: 'WEBHOOK' },
    row_asked: { ...part('Row Asked'), type: 'MANUAL' },
  },
} as unknown as CataloguedPiece;

const MAIL = {
  name: '@acme/piece-mail',
  version: '1.0.0',
  displayName: 'Mail',
  description: '',
  actions: { list: part('List Mail') },
  triggers: { event: { ...part('Mail Event'), type: 'MANUAL' } },
} as unknown as CataloguedPiece;

const CATALOGUE = [TABLES, MAIL];

const labelOf = (offer: Offer): string =>
  'app' in offer ? `> ${offer.app.name}` : `${offer.kind.name} (${offer.kind.piece})`;

describe('the palette', () => {
  const found = (typed: string, apps = appsWithActions(CATALOGUE, [])) =>
    offerGroups({ kinds: stepKinds([]), apps, opened: null, typed }).map(
      ({ name, offers }) => [name, offers.map(labelOf)] as const,
    );

  it('has the packages of the catalogue after what is there', () => {
    expect(found('')).toEqual([
      ['Installed', ['Code ()', 'Loop ()', 'Router ()']],
      ['Apps', ['> Tables', '> Mail']],
    ]);
  });

  it('finds packages by name and description, then what they can do, by names before descriptions', () => {
    expect(found('piece-mail')).toEqual([['Apps', ['> Mail', 'List Mail (Mail)']]]);
    expect(found('open')).toEqual([['Apps', ['> Tables']]]);
  });

  it('finds actions by words of their names, and of their package', () => {
    expect(found('list')).toEqual([
      ['Installed', ['Loop ()']],
      ['Apps', ['List Rows (Tables)', 'List Mail (Mail)']],
    ]);
    expect(found('tables drop')).toEqual([['Apps', ['Drop (Tables)']]]);
    expect(found('empties')).toEqual([['Apps', ['Drop (Tables)']]]);
    expect(found('nothing like it')).toEqual([]);
  });

  it('has only what a package can do while that is looked into', () => {
    const [tables = null] = appsWithActions(CATALOGUE, []);
    const groups = offerGroups({ kinds: stepKinds([]), apps: [], opened: tables, typed: 'rows' });
    expect(groups.map(({ name, offers }) => [name, offers.map(labelOf)])).toEqual([['Tables', ['List Rows (Tables)']]]);
  });

  it('shows a hundred of a group, and says how many more there are', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ ...MAIL, name: `@acme/piece-${index}` }));
    const [, apps] = offerGroups({ kinds: stepKinds([]), apps: appsWithActions(many, []), opened: null, typed: '' });
    expect(apps).toMatchObject({ name: 'Apps', more: 900 });
    expect(apps?.offers).toHaveLength(100);
  });
});

describe('the packages of the catalogue', () => {
  const installed = (version: string) => [{ ...TABLES, version } as unknown as Piece];
  const namesOf = (apps: { name: string }[]) => apps.map(({ name }) => name);

  it('are left out in the version that is installed, and named with the version beside another one', () => {
    expect(namesOf(appsWithActions(CATALOGUE, installed('0.10.0')))).toEqual(['Mail']);
    expect(namesOf(appsWithActions(CATALOGUE, installed('0.9.0')))).toEqual(['Tables 0.10.0', 'Mail']);
  });

  it('offer only the triggers that flows can have', () => {
    const [tables, ...others] = appsWithTriggers(CATALOGUE, []);
    expect(others).toEqual([]);
    expect(namesOf([...(tables?.kinds ?? [])])).toEqual(['Row Added', 'Row Event']);
  });

  it('are named by the step with their version', () => {
    const [tables] = appsWithActions(CATALOGUE, []);
    expect(tables?.kinds[0]?.settings()).toMatchObject({
      pieceName: '@acme/piece-tables',
      pieceVersion: '0.10.0',
      actionName: 'list_rows',
      input: {},
    });
  });
});
