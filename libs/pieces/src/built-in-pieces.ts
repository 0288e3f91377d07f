import { PieceCatalogue, type CatalogueAction, type CatalogueTrigger } from '@millrace/domain';
import type { ActionDefinition, PieceDefinition, TriggerDefinition } from './piece';
import { resolvePieceName } from './piece-name';
import { webhook } from './webhook/webhook.piece';

/**
 * The pieces that come with the service. Each exists in one version, ours: whatever version a flow names, that one runs.
 */
export class BuiltInPieces extends PieceCatalogue {
  private readonly pieces: ReadonlyMap<string, PieceDefinition>;

  constructor(pieces: readonly PieceDefinition[] = [webhook]) {
    super();
    this.pieces = new Map(pieces.map((piece) => [piece.name, piece]));
  }

  findTrigger(pieceName: string, _pieceVersion: string, triggerName: string): CatalogueTrigger | null {
    const piece = this.pieces.get(resolvePieceName(pieceName));
    const trigger = ownEntry(piece?.triggers, triggerName);
    if (!piece || !trigger) return null;
    return { ...entryOf(piece, trigger), triggerName, resultType: trigger.resultType };
  }

  findAction(pieceName: string, _pieceVersion: string, actionName: string): CatalogueAction | null {
    const piece = this.pieces.get(resolvePieceName(pieceName));
    const action = ownEntry(piece?.actions, actionName);
    return piece && action ? { ...entryOf(piece, action), actionName } : null;
  }
}

function ownEntry<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function entryOf(
  piece: PieceDefinition,
  definition: TriggerDefinition | ActionDefinition,
): Omit<CatalogueTrigger, 'triggerName' | 'resultType'> {
  const required = Object.entries(definition.props).filter(([, prop]) => prop.required);
  return {
    pieceName: piece.name,
    pieceVersion: piece.version,
    displayName: definition.displayName,
    requiredInputs: required.map(([name]) => name),
    inputProblems: (input) => [
      ...required
        .filter(([name]) => isMissing(input[name]))
        .map(([, prop]) => `The input "${prop.displayName}" is required.`),
      ...(definition.problems?.(input) ?? []),
    ],
  };
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';
