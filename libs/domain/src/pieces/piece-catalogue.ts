import type { HandshakeSign } from '../handshakes/package-webhook';
import type { PieceRef } from './piece-package';
import type { TriggerKind } from '../trigger-kind';
import type { TriggerHook } from '../triggers/trigger-hook';
import type { RenewalTimes, TriggerPlan } from '../triggers/trigger-plan';

/** The path of an input, or of a member of it, that contains secrets: `['authFields', 'secrets']`. */
export type SecretPath = readonly [input: string, member?: string];

/** What the check of a version must know about a trigger or an action of a piece. */
interface CatalogueEntry {
  pieceName: string;
  /** The version that will run. */
  pieceVersion: string;
  displayName: string;
  requiredInputs: readonly string[];
  /** The paths of the given inputs that the piece does not read: `body`, `fields.body`, `fields[0].body`. */
  unknownInputs(input: Readonly<Record<string, unknown>>): string[];
  /** One sentence for each problem that makes a step with this input invalid. */
  inputProblems(input: Readonly<Record<string, unknown>>): string[];
  /** One sentence for each constant of the input that works otherwise than its author may think. */
  inputWarnings(input: Readonly<Record<string, unknown>>): string[];
}

export interface CatalogueTrigger extends CatalogueEntry {
  triggerName: string;
  /** The kind of trigger that runs show when this trigger started them. */
  resultType: TriggerKind;
  /** Where its input contains secrets, whatever the other inputs are. */
  secretInputs: readonly SecretPath[];
  /** What the trigger waits for with this input, which has no problems. */
  plan(input: Readonly<Record<string, unknown>>): TriggerPlan;
  /** The hooks that the trigger has. A trigger without hooks is never called. */
  hooks: readonly TriggerHook[];
  /** When `onRenew` is called; null for a trigger without this hook. */
  renewal: RenewalTimes | null;
  /** How the handshakes are known that its `onHandshake` answers; null when it answers none. */
  handshake: HandshakeSign | null;
}

export interface CatalogueAction extends CatalogueEntry {
  actionName: string;
}

/** The pieces of this installation. Null means that there is no such piece, or no such trigger or action of it. */
export abstract class PieceCatalogue {
  /** Makes these pieces known to the look-ups, which do not wait. Those that come with the service always are. */
  know(_refs: readonly PieceRef[]): Promise<void> {
    return Promise.resolve();
  }

  abstract hasPiece(pieceName: string): boolean;
  /** Why there is no such piece, in one sentence. Null when nothing more is known than that there is none. */
  reasonForMissing(_pieceName: string, _pieceVersion: string): string | null {
    return null;
  }
  abstract findTrigger(pieceName: string, pieceVersion: string, triggerName: string): CatalogueTrigger | null;
  abstract findAction(pieceName: string, pieceVersion: string, actionName: string): CatalogueAction | null;
}
