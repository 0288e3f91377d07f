import { isPackage, isUsable } from '../api/piece-origin';
import type { Piece } from '../api/pieces';
import type { Step } from '../flow-picture/step';
import { words } from './panel-words';

/** Something that can be put into a flow. */
export interface StepKind {
  id: string;
  name: string;
  says: string;
  /** What is searched besides the name. */
  piece: string;
  type: Step['type'];
  settings: () => Record<string, unknown>;
  children?: (Step | null)[];
}

const NEW_CODE = 'export const code = async (inputs) => {\n  return {};\n};\n';

const BUILT_IN: readonly StepKind[] = [
  {
    id: 'code',
    name: words.code,
    says: words.codeSays,
    piece: '',
    type: 'CODE',
    settings: () => ({ sourceCode: { code: NEW_CODE, packageJson: '{}' }, input: {} }),
  },
  {
    id: 'loop',
    name: words.loop,
    says: words.loopSays,
    piece: '',
    type: 'LOOP_ON_ITEMS',
    settings: () => ({ items: '' }),
  },
  {
    id: 'router',
    name: words.router,
    says: words.routerSays,
    piece: '',
    type: 'ROUTER',
    settings: () => ({
      executionType: 'EXECUTE_FIRST_MATCH',
      branches: [
        { branchType: 'CONDITION', branchName: words.newBranch(1), conditions: [[NEW_CONDITION]] },
        { branchType: 'FALLBACK', branchName: words.fallback },
      ],
    }),
    children: [null, null],
  },
];

export const NEW_CONDITION = { firstValue: '', operator: 'EXISTS' };

/** The kinds of steps that can be added: those without a piece first. */
export const stepKinds = (pieces: readonly Piece[]): StepKind[] => [
  ...BUILT_IN,
  ...pieces.flatMap((piece) =>
    Object.entries(piece.actions).map(([actionName, { displayName, description }]) =>
      kindOf(piece, { type: 'PIECE', displayName, description, settings: { actionName } }),
    ),
  ),
];

export const triggerKinds = (pieces: readonly Piece[]): StepKind[] =>
  pieces.flatMap((piece) =>
    Object.entries(piece.triggers)
      .filter(([, { triggerType }]) => !isPackage(piece) || isUsable(triggerType))
      .map(([triggerName, { displayName, description }]) =>
        kindOf(piece, { type: 'PIECE_TRIGGER', displayName, description, settings: { triggerName } }),
      ),
  );

interface PartOfPiece {
  type: Step['type'];
  displayName: string;
  description: string;
  settings: Record<string, string>;
}

/** A trigger or an action of a piece as something that can be put into a flow. */
export const kindOf = (
  { name: pieceName, displayName: piece, version: pieceVersion }: Pick<Piece, 'name' | 'displayName' | 'version'>,
  { type, displayName, description, settings }: PartOfPiece,
): StepKind => ({
  id: `${pieceName} ${pieceVersion} ${Object.values(settings).join(' ')}`,
  name: displayName,
  says: description,
  piece,
  type,
  settings: () => ({ pieceName, pieceVersion, ...settings, input: {}, propertySettings: {} }),
});

/** A new step under the next free name. */
export function newStep({ name: displayName, type, settings, children }: StepKind, taken: ReadonlySet<string>): Step {
  let number = 1;
  while (taken.has(`step_${number}`)) number += 1;
  const step: Step = { name: `step_${number}`, displayName, type, valid: true, settings: settings() };
  return children ? { ...step, children } : step;
}

/** The trigger with what it is replaced by another kind. */
export const newTrigger = ({ name: displayName, type, settings }: StepKind, old: Step): Step => ({
  name: old.name,
  displayName,
  type,
  valid: true,
  settings: settings(),
});
