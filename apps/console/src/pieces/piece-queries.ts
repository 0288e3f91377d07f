import type { Piece } from '../api/pieces';

/** A trigger or an action. */
export type PieceItem = Omit<Piece['triggers'][string], 'triggerType'>;
export type Prop = PieceItem['props'][string];
