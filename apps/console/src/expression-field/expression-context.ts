import { createContext, use } from 'react';
import type { Variables } from '../code-editor/value-completions';
import type { Path } from '../json-view/json-nodes';
import type { Samples } from './known-value';

/** What became of a text with expressions. `position` is an index into the text. */
export type Evaluation = { value: unknown; isMissing: boolean } | { message: string; position: number };

/** A field that takes what is chosen elsewhere. */
export interface TokenTarget {
  /** Puts a token with the path where the caret is, and gives the field the focus. */
  insert: (path: Path) => void;
}

/** What surrounds the fields of a step. */
export interface Surroundings {
  /** Changes whenever the same text may give another value. */
  key: string;
  samples: Samples;
  /** The same samples, and what else expressions can name. */
  variables: Variables;
  /** Evaluates texts in the sandbox of the service; null where nothing can be evaluated. */
  evaluate: ((texts: readonly string[], signal: AbortSignal) => Promise<Evaluation[]>) | null;
  /** The field that had the focus last: what is chosen elsewhere goes there. */
  target: { current: TokenTarget | null };
}

const NONE: Surroundings = { key: '', samples: new Map(), variables: {}, evaluate: null, target: { current: null } };

export const ExpressionContext = createContext<Surroundings>(NONE);

export const useSurroundings = (): Surroundings => use(ExpressionContext);
