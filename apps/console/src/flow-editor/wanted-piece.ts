import { isPackage } from '../api/piece-origin';
import type { Piece } from '../api/pieces';
import type { Step } from '../flow-picture/step';

/** The piece that a step names, as far as it names one. */
export interface WantedPiece {
  name: string;
  version: string | undefined;
}

export function refOf({ pieceName, pieceVersion }: Step['settings']): WantedPiece {
  return {
    name: typeof pieceName === 'string' ? pieceName : '',
    version: typeof pieceVersion === 'string' && pieceVersion !== '' ? pieceVersion : undefined,
  };
}

/** The piece that runs such a step, when it is one of these. A piece of the service has one version for all steps. */
export const listedPiece = (pieces: readonly Piece[], { name, version }: WantedPiece): Piece | undefined =>
  pieces.find((piece) => piece.name === name && (!isPackage(piece) || piece.version === version));

export const isSame = (one: WantedPiece, other: WantedPiece): boolean =>
  one.name === other.name && one.version === other.version;
