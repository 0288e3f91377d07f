import type { TriggerKind } from '../trigger-kind';

/** What a version needs to know of a piece's trigger or action to say whether a step of it is complete. */
interface CatalogueEntry {
  pieceName: string;
  /** The version that will run. */
  pieceVersion: string;
  displayName: string;
  requiredInputs: readonly string[];
  /** The names of the inputs given that the piece does not read. */
  unknownInputs(input: Readonly<Record<string, unknown>>): string[];
  /** One sentence for each thing that keeps a step with this input from being valid; none when it is valid. */
  inputProblems(input: Readonly<Record<string, unknown>>): string[];
}

export interface CatalogueTrigger extends CatalogueEntry {
  triggerName: string;
  /** The kind that runs started by this trigger show for it. */
  resultType: TriggerKind;
}

export interface CatalogueAction extends CatalogueEntry {
  actionName: string;
}

/** The pieces that this installation knows. Null: there is no such piece, or it has no such trigger or action. */
export abstract class PieceCatalogue {
  abstract hasPiece(pieceName: string): boolean;
  abstract findTrigger(pieceName: string, pieceVersion: string, triggerName: string): CatalogueTrigger | null;
  abstract findAction(pieceName: string, pieceVersion: string, actionName: string): CatalogueAction | null;
}
