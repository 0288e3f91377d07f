import { createContext, use } from 'react';
import type { Schemas } from '../api/client';

export type PieceProp = Schemas['PieceProp'];
export type PieceOptions = Schemas['PieceOptions'];
export type Values = Readonly<Record<string, unknown>>;

/** Asks the piece for the options of an input, or for the inputs it stands for, given the other inputs. */
export interface OptionsSource {
  /** Names the piece and its action, for the cache. */
  key: string;
  ask: (propName: string, others: Values, signal: AbortSignal) => Promise<PieceOptions>;
}

/** Null where nobody can be asked, such as for the members of an input. */
export const OptionsContext = createContext<OptionsSource | null>(null);

export const useOptionsSource = (): OptionsSource | null => use(OptionsContext);
