import { MAX_NOTES_PER_VERSION } from './flow-note';
import { RequestProblems } from '../json/json-reader';
import { parseNotes } from './parse-notes';

const problemsOf = (entries: readonly unknown[]) => {
  const problems = new RequestProblems();
  parseNotes(entries, '/notes', problems);
  return problems.found;
};

describe('parseNotes', () => {
  it('keeps notes as they are, with what it does not know', () => {
    const notes = [
      {
        id: 'b',
        content: 'B',
        color: 'red',
        position: { x: 1, y: 2, z: 3 },
        size: { width: 4, height: 5 },
        pinned: true,
      },
      { id: 'a', content: 'A', ownerId: null, createdAt: 'then', updatedAt: 'now' },
    ];
    const problems = new RequestProblems();
    expect(parseNotes(notes, '/notes', problems)).toEqual(notes);
    expect(problems.found).toEqual([]);
  });

  it('fills in what is missing: the content, and ids that nobody has', () => {
    const entries = [{}, { id: 'note_2', content: 'A' }, { content: 'B' }, {}];
    expect(parseNotes(entries, '/notes', new RequestProblems())).toEqual([
      { id: 'note_1', content: '' },
      { id: 'note_2', content: 'A' },
      { id: 'note_3', content: 'B' },
      { id: 'note_4', content: '' },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a text', 'Hi', ''],
    ['nothing', null, ''],
    ['an id that is a number', { id: 1 }, '/id'],
    ['an id that is taken', { id: 'taken' }, '/id'],
    ['an id without characters', { id: '' }, '/id'],
    ['content that is none', { content: null }, '/content'],
    ['content too long', { content: 'x'.repeat(10_001) }, '/content'],
    ['a colour that is none', { color: 1 }, '/color'],
    ['a colour too long', { color: 'x'.repeat(51) }, '/color'],
    ['half a position', { position: { x: 1 } }, '/position/y'],
    ['a position of texts', { position: { x: '1', y: 2 } }, '/position/x'],
    ['a size that is a list', { size: [] }, '/size'],
    ['an owner that is a number', { ownerId: 7 }, '/ownerId'],
    ['a time that is a number', { createdAt: 7 }, '/createdAt'],
  ])('refuses %s', (_what, entry, path) => {
    expect(problemsOf([{ id: 'taken' }, entry])).toContainEqual(expect.objectContaining({ path: `/notes/1${path}` }));
  });

  it('refuses one note too many', () => {
    const entries = Array.from({ length: MAX_NOTES_PER_VERSION }, () => ({}));
    expect(problemsOf(entries)).toEqual([]);
    expect(problemsOf([...entries, {}])).toMatchObject([{ path: '/notes' }]);
  });
});
