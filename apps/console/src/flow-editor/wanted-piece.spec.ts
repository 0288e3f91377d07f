import type { Piece } from '../api/pieces';
import { listedPiece, refOf } from './wanted-piece';

const HTTP = { name: 'http', version: '0.1.0', category: 'NETWORK' } as Piece;
const NOTES = { name: '@acme/piece-notes', version: '1.1.0', category: 'APPS' } as Piece;

describe('the piece of a step', () => {
  const found = (pieceName: unknown, pieceVersion: unknown) =>
    listedPiece([HTTP, NOTES], refOf({ pieceName, pieceVersion }));

  it('is one that comes with the service, whichever version the step names', () => {
    expect(found('http', '9.0.0')).toBe(HTTP);
    expect(found('http', undefined)).toBe(HTTP);
  });

  it('is a package in the version that the step names, and no other', () => {
    expect(found(NOTES.name, '1.1.0')).toBe(NOTES);
    expect(found(NOTES.name, '1.0.0')).toBeUndefined();
    expect(found(NOTES.name, '~1.1.0')).toBeUndefined();
  });

  it('is none where the step names none', () => expect(found(null, '')).toBeUndefined());
});
