import { catalogueEntry } from './catalogue-entry';

it('the entry of a package has what people choose it by, and none of its inputs', () => {
  const archive = { name: '@scope/piece-notes', version: '1.0.0', integrity: 'sha512-x', size: 5 };
  const described = {
    displayName: 'Notes',
    description: 'Keeps notes.',
    categories: ['PRODUCTIVITY'],
    auth: [{ type: 'OAUTH2', displayName: 'Sign in' }, { type: 'SECRET_TEXT' }],
    actions: { add: { displayName: 'Add', description: 'Adds a note.', props: { text: { type: 'SHORT_TEXT' } } } },
    triggers: { added: { type: 'WEBHOOK', displayName: 'Added', description: 'A note was added.', props: {} } },
  };

  expect(catalogueEntry(archive, described)).toEqual({
    ...archive,
    displayName: 'Notes',
    description: 'Keeps notes.',
    categories: ['PRODUCTIVITY'],
    auth: ['OAUTH2', 'SECRET_TEXT'],
    actions: { add: { displayName: 'Add', description: 'Adds a note.' } },
    triggers: { added: { type: 'WEBHOOK', displayName: 'Added', description: 'A note was added.' } },
  });
});
