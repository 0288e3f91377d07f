import { isUsable } from '../api/piece-origin';
import type { CataloguedPiece, Piece } from '../api/pieces';
import { kindOf, type StepKind } from './new-step';

/** A package of the catalogue, with what it can put into a flow. */
export interface App {
  id: string;
  name: string;
  says: string;
  kinds: readonly StepKind[];
}

/** The packages whose actions can be added. What is among the pieces already is left out. */
export const appsWithActions = (catalogue: readonly CataloguedPiece[], pieces: readonly Piece[]): App[] =>
  appsOf(catalogue, pieces, (entry, piece) =>
    Object.entries(entry.actions).map(([actionName, part]) =>
      kindOf(piece, { type: 'PIECE', ...part, settings: { actionName } }),
    ),
  );

/** As `appsWithActions`, for triggers. */
export const appsWithTriggers = (catalogue: readonly CataloguedPiece[], pieces: readonly Piece[]): App[] =>
  appsOf(catalogue, pieces, (entry, piece) =>
    Object.entries(entry.triggers)
      .filter(([, { type }]) => isUsable(type))
      .map(([triggerName, part]) => kindOf(piece, { ...part, type: 'PIECE_TRIGGER', settings: { triggerName } })),
  );

type NamedPiece = Pick<Piece, 'name' | 'displayName' | 'version'>;

function appsOf(
  catalogue: readonly CataloguedPiece[],
  pieces: readonly Piece[],
  kindsOf: (entry: CataloguedPiece, piece: NamedPiece) => StepKind[],
): App[] {
  const versions = new Map(pieces.map(({ name, version }) => [name, version]));
  return catalogue.flatMap((entry) => {
    const { name, version, description } = entry;
    const installed = versions.get(name);
    if (installed === version) return [];
    // Two versions of one package are told apart by their numbers.
    const displayName = installed === undefined ? entry.displayName : `${entry.displayName} ${version}`;
    const kinds = kindsOf(entry, { name, version, displayName });
    return kinds.length === 0 ? [] : [{ id: name, name: displayName, says: description, kinds }];
  });
}
