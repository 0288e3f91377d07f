import { BUILT_IN_PIECES } from '../built-in-pieces';
import { piecePage, piecesPage } from './piece-page';

/** The files of docs/pieces, as content by file name. */
export async function piecePages(): Promise<Record<string, string>> {
  const pages = BUILT_IN_PIECES.map(async (piece) => [`${piece.name}.md`, await piecePage(piece)] as const);
  return { 'README.md': piecesPage(BUILT_IN_PIECES), ...Object.fromEntries(await Promise.all(pages)) };
}
